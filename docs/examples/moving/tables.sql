-- What the old server has. The router's tables are made beside these.
create table users (
  id serial primary key,
  username text not null unique,
  email text not null unique,
  password text not null
);
create table messages (
  id serial primary key,
  user_id integer not null references users,
  text text not null
);
-- of connect-pg-simple
create table session (
  sid varchar primary key,
  sess json not null,
  expire timestamp(6) not null
);
