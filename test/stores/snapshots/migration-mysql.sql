create table if not exists `mar_migrations` (
  `version` integer not null,
  `applied_at` bigint not null,
  primary key (version)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_authorization_codes` (
  `code_hash` varbinary(1024) not null,
  `user_id` varbinary(1024) not null,
  `issued_by_session_id` varbinary(1024) not null,
  `opens_session_id` varbinary(1024) not null,
  `code_challenge` text character set utf8mb4 not null,
  `scope` text character set utf8mb4 not null,
  `methods` text character set utf8mb4 not null,
  `authenticated_at` bigint not null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  `retain_until` bigint not null,
  `consumed_at` bigint null,
  `purge_at` bigint not null,
  `client_id` varbinary(1024) null,
  `redirect_uri` text character set utf8mb4 null,
  `nonce` text character set utf8mb4 null,
  `resources` text character set utf8mb4 null,
  `acr` text character set utf8mb4 null,
  primary key (code_hash),
  index `mar_authorization_codes_purge_at` (purge_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_sessions` (
  `id` varbinary(1024) not null,
  `user_id` varbinary(1024) not null,
  `kind` text character set utf8mb4 not null,
  `scope` text character set utf8mb4 not null,
  `methods` text character set utf8mb4 not null,
  `authenticated_at` bigint not null,
  `created_at` bigint not null,
  `last_seen_at` bigint not null,
  `idle_expires_at` bigint not null,
  `expires_at` bigint not null,
  `ip` text character set utf8mb4 null,
  `user_agent` text character set utf8mb4 null,
  `refresh_hash` varbinary(1024) null,
  `refresh_state` text character set utf8mb4 null,
  `ended_at` bigint null,
  `end_reason` text character set utf8mb4 null,
  `ended_by` varbinary(1024) null,
  `purge_at` bigint not null,
  `secret_hash` varbinary(1024) null,
  `password_mark` varbinary(1024) null,
  `password_mark_next` varbinary(1024) null,
  `lifetime_idle` integer null,
  `lifetime_absolute` integer null,
  `client_id` varbinary(1024) null,
  `parent_id` varbinary(1024) null,
  `resources` text character set utf8mb4 null,
  `opened_by_session_id` varbinary(1024) null,
  `former_secret_hash` varbinary(1024) null,
  `former_secret_until` bigint null,
  `upstream` text character set utf8mb4 null,
  `actor_id` varbinary(1024) null,
  `actor_session_id` varbinary(1024) null,
  primary key (id),
  index `mar_sessions_user_id_ended_at` (user_id, ended_at),
  index `mar_sessions_purge_at` (purge_at),
  index `mar_sessions_client_id_ended_at` (client_id, ended_at),
  index `mar_sessions_parent_id` (parent_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_socket_tickets` (
  `ticket_hash` varbinary(1024) not null,
  `session_id` varbinary(1024) not null,
  `user_id` varbinary(1024) not null,
  `scope` text character set utf8mb4 not null,
  `token_expires_at` bigint not null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  primary key (ticket_hash),
  index `mar_socket_tickets_expires_at` (expires_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_proofs` (
  `id_hash` varbinary(1024) not null,
  `purpose` varbinary(1024) not null,
  `user_id` varbinary(1024) null,
  `code_tag` text character set utf8mb4 null,
  `mark` text character set utf8mb4 null,
  `sealed` text character set utf8mb4 null,
  `tries_left` integer not null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  `consumed_at` bigint null,
  primary key (id_hash),
  index `mar_proofs_user_id_purpose` (user_id, purpose),
  index `mar_proofs_expires_at` (expires_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_identities` (
  `provider` varbinary(1024) not null,
  `subject` varbinary(1024) not null,
  `issuer` text character set utf8mb4 not null,
  `user_id` varbinary(1024) not null,
  `id` varbinary(1024) not null,
  `label` text character set utf8mb4 null,
  `password_mark` text character set utf8mb4 null,
  `created_at` bigint not null,
  `last_used_at` bigint null,
  `unlinked` integer not null,
  primary key (provider, subject),
  unique index `mar_identities_id` (id),
  index `mar_identities_user_id` (user_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_device_codes` (
  `user_code_hash` varbinary(1024) not null,
  `device_code_hash` varbinary(1024) not null,
  `purpose` varbinary(1024) not null,
  `client_id` varbinary(1024) null,
  `scope` text character set utf8mb4 not null,
  `resources` text character set utf8mb4 not null,
  `name` text character set utf8mb4 null,
  `requested_ip` text character set utf8mb4 null,
  `requested_agent` text character set utf8mb4 null,
  `interval` bigint not null,
  `next_poll_at` bigint not null,
  `user_id` varbinary(1024) null,
  `claimed_at` bigint null,
  `tries_left` integer not null,
  `state` varbinary(1024) not null,
  `authorization_code_hash` varbinary(1024) null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  `asked_too_soon` integer not null,
  primary key (user_code_hash),
  index `mar_device_codes_expires_at` (expires_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_second_factors` (
  `user_id` varbinary(1024) not null,
  `sealed_seed` varbinary(1024) not null,
  `last_step` bigint not null,
  `codes_version` integer not null,
  `created_at` bigint not null,
  primary key (user_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_enrolments` (
  `user_id` varbinary(1024) not null,
  `session_id` varbinary(1024) not null,
  `sealed_seed` varbinary(1024) not null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  primary key (user_id, session_id),
  index `mar_enrolments_expires_at` (expires_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_recovery_codes` (
  `user_id` varbinary(1024) not null,
  `code_hash` varbinary(1024) not null,
  primary key (user_id, code_hash)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_signing_keys` (
  `generation` integer not null,
  `kid` text character set utf8mb4 not null,
  `sealed_key` text character set utf8mb4 not null,
  `created_at` bigint not null,
  `activates_at` bigint not null,
  primary key (generation)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_id_token_keys` (
  `generation` integer not null,
  `kid` text character set utf8mb4 not null,
  `sealed_key` text character set utf8mb4 not null,
  `created_at` bigint not null,
  `activates_at` bigint not null,
  primary key (generation)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_clients` (
  `id` varbinary(1024) not null,
  `metadata` text character set utf8mb4 not null,
  `secret_hashes` varbinary(1024) not null,
  `disabled` integer not null,
  `created_at` bigint not null,
  `updated_at` bigint not null,
  `unused_place` integer null,
  `purge_at` bigint null,
  primary key (id),
  unique index `mar_clients_unused_place` (unused_place),
  index `mar_clients_purge_at` (purge_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_consents` (
  `user_id` varbinary(1024) not null,
  `client_id` varbinary(1024) not null,
  `scopes` text character set utf8mb4 not null,
  `granted_at` bigint not null,
  `updated_at` bigint not null,
  primary key (user_id, client_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_once` (
  `key_hash` varbinary(1024) not null,
  `expires_at` bigint not null,
  primary key (key_hash),
  index `mar_once_expires_at` (expires_at)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_passkeys` (
  `credential_hash` varbinary(1024) not null,
  `credential_id` text character set utf8mb4 not null,
  `user_id` varbinary(1024) not null,
  `user_handle` text character set utf8mb4 not null,
  `public_key` text character set utf8mb4 not null,
  `counter` bigint not null,
  `backup_eligible` integer not null,
  `backed_up` integer not null,
  `transports` text character set utf8mb4 not null,
  `aaguid` text character set utf8mb4 not null,
  `name` text character set utf8mb4 not null,
  `suspected_clone_at` bigint null,
  `password_mark` text character set utf8mb4 null,
  `created_at` bigint not null,
  `last_used_at` bigint null,
  primary key (credential_hash),
  index `mar_passkeys_user_id` (user_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_passkey_users` (
  `user_id` varbinary(1024) not null,
  `user_handle` text character set utf8mb4 not null,
  `passkeys` integer not null,
  primary key (user_id)
) engine=InnoDB row_format=dynamic;

create table if not exists `mar_passkey_codes` (
  `user_id` varbinary(1024) not null,
  `code_hash` varbinary(1024) not null,
  primary key (user_id, code_hash)
) engine=InnoDB row_format=dynamic;

insert ignore into `mar_migrations` (version, applied_at) values (1, <now>);
