create table if not exists "mar_migrations" (
  "version" integer not null,
  "applied_at" integer not null,
  primary key (version)
);

create table if not exists "mar_authorization_codes" (
  "code_hash" text not null,
  "user_id" text not null,
  "issued_by_session_id" text not null,
  "opens_session_id" text not null,
  "code_challenge" text not null,
  "scope" text not null,
  "methods" text not null,
  "authenticated_at" integer not null,
  "created_at" integer not null,
  "expires_at" integer not null,
  "retain_until" integer not null,
  "consumed_at" integer null,
  "purge_at" integer not null,
  "client_id" text null,
  "redirect_uri" text null,
  "nonce" text null,
  "resources" text null,
  "acr" text null,
  primary key (code_hash)
);

create index if not exists "mar_authorization_codes_purge_at" on "mar_authorization_codes" (purge_at);

create table if not exists "mar_sessions" (
  "id" text not null,
  "user_id" text not null,
  "kind" text not null,
  "scope" text not null,
  "methods" text not null,
  "authenticated_at" integer not null,
  "created_at" integer not null,
  "last_seen_at" integer not null,
  "idle_expires_at" integer not null,
  "expires_at" integer not null,
  "ip" text null,
  "user_agent" text null,
  "refresh_hash" text null,
  "refresh_state" text null,
  "ended_at" integer null,
  "end_reason" text null,
  "ended_by" text null,
  "purge_at" integer not null,
  "secret_hash" text null,
  "password_mark" text null,
  "password_mark_next" text null,
  "lifetime_idle" integer null,
  "lifetime_absolute" integer null,
  "client_id" text null,
  "parent_id" text null,
  "resources" text null,
  "opened_by_session_id" text null,
  "former_secret_hash" text null,
  "former_secret_until" integer null,
  "upstream" text null,
  "actor_id" text null,
  "actor_session_id" text null,
  primary key (id)
);

create index if not exists "mar_sessions_user_id_ended_at" on "mar_sessions" (user_id, ended_at);

create index if not exists "mar_sessions_purge_at" on "mar_sessions" (purge_at);

create index if not exists "mar_sessions_client_id_ended_at" on "mar_sessions" (client_id, ended_at) where client_id is not null;

create index if not exists "mar_sessions_parent_id" on "mar_sessions" (parent_id) where parent_id is not null;

create table if not exists "mar_socket_tickets" (
  "ticket_hash" text not null,
  "session_id" text not null,
  "user_id" text not null,
  "scope" text not null,
  "token_expires_at" integer not null,
  "created_at" integer not null,
  "expires_at" integer not null,
  primary key (ticket_hash)
);

create index if not exists "mar_socket_tickets_expires_at" on "mar_socket_tickets" (expires_at);

create table if not exists "mar_proofs" (
  "id_hash" text not null,
  "purpose" text not null,
  "user_id" text null,
  "code_tag" text null,
  "mark" text null,
  "sealed" text null,
  "tries_left" integer not null,
  "created_at" integer not null,
  "expires_at" integer not null,
  "consumed_at" integer null,
  primary key (id_hash)
);

create index if not exists "mar_proofs_user_id_purpose" on "mar_proofs" (user_id, purpose);

create index if not exists "mar_proofs_expires_at" on "mar_proofs" (expires_at);

create table if not exists "mar_identities" (
  "provider" text not null,
  "subject" text not null,
  "issuer" text not null,
  "user_id" text not null,
  "id" text not null,
  "label" text null,
  "password_mark" text null,
  "created_at" integer not null,
  "last_used_at" integer null,
  "unlinked" integer not null,
  primary key (provider, subject)
);

create unique index if not exists "mar_identities_id" on "mar_identities" (id);

create index if not exists "mar_identities_user_id" on "mar_identities" (user_id);

create table if not exists "mar_device_codes" (
  "user_code_hash" text not null,
  "device_code_hash" text not null,
  "purpose" text not null,
  "client_id" text null,
  "scope" text not null,
  "resources" text not null,
  "name" text null,
  "requested_ip" text null,
  "requested_agent" text null,
  "interval" integer not null,
  "next_poll_at" integer not null,
  "user_id" text null,
  "claimed_at" integer null,
  "tries_left" integer not null,
  "state" text not null,
  "authorization_code_hash" text null,
  "created_at" integer not null,
  "expires_at" integer not null,
  "asked_too_soon" integer not null,
  primary key (user_code_hash)
);

create index if not exists "mar_device_codes_expires_at" on "mar_device_codes" (expires_at);

create table if not exists "mar_second_factors" (
  "user_id" text not null,
  "sealed_seed" text not null,
  "last_step" integer not null,
  "codes_version" integer not null,
  "created_at" integer not null,
  primary key (user_id)
);

create table if not exists "mar_enrolments" (
  "user_id" text not null,
  "session_id" text not null,
  "sealed_seed" text not null,
  "created_at" integer not null,
  "expires_at" integer not null,
  primary key (user_id, session_id)
);

create index if not exists "mar_enrolments_expires_at" on "mar_enrolments" (expires_at);

create table if not exists "mar_recovery_codes" (
  "user_id" text not null,
  "code_hash" text not null,
  primary key (user_id, code_hash)
);

create table if not exists "mar_signing_keys" (
  "generation" integer not null,
  "kid" text not null,
  "sealed_key" text not null,
  "created_at" integer not null,
  "activates_at" integer not null,
  primary key (generation)
);

create table if not exists "mar_id_token_keys" (
  "generation" integer not null,
  "kid" text not null,
  "sealed_key" text not null,
  "created_at" integer not null,
  "activates_at" integer not null,
  primary key (generation)
);

create table if not exists "mar_clients" (
  "id" text not null,
  "metadata" text not null,
  "secret_hashes" text not null,
  "disabled" integer not null,
  "created_at" integer not null,
  "updated_at" integer not null,
  "unused_place" integer null,
  "purge_at" integer null,
  primary key (id)
);

create unique index if not exists "mar_clients_unused_place" on "mar_clients" (unused_place);

create index if not exists "mar_clients_purge_at" on "mar_clients" (purge_at) where purge_at is not null;

create table if not exists "mar_consents" (
  "user_id" text not null,
  "client_id" text not null,
  "scopes" text not null,
  "granted_at" integer not null,
  "updated_at" integer not null,
  primary key (user_id, client_id)
);

create table if not exists "mar_once" (
  "key_hash" text not null,
  "expires_at" integer not null,
  primary key (key_hash)
);

create index if not exists "mar_once_expires_at" on "mar_once" (expires_at);

create table if not exists "mar_passkeys" (
  "credential_hash" text not null,
  "credential_id" text not null,
  "user_id" text not null,
  "user_handle" text not null,
  "public_key" text not null,
  "counter" integer not null,
  "backup_eligible" integer not null,
  "backed_up" integer not null,
  "transports" text not null,
  "aaguid" text not null,
  "name" text not null,
  "suspected_clone_at" integer null,
  "password_mark" text null,
  "created_at" integer not null,
  "last_used_at" integer null,
  primary key (credential_hash)
);

create index if not exists "mar_passkeys_user_id" on "mar_passkeys" (user_id);

create table if not exists "mar_passkey_users" (
  "user_id" text not null,
  "user_handle" text not null,
  "passkeys" integer not null,
  primary key (user_id)
);

create table if not exists "mar_passkey_codes" (
  "user_id" text not null,
  "code_hash" text not null,
  primary key (user_id, code_hash)
);

insert into "mar_migrations" (version, applied_at) values (1, <now>) on conflict (version) do nothing;
