-- People with a login. The three otp columns belong to the trial with text messages.
create table users (
    id            bigserial primary key,
    address       text        not null unique,
    password_hash text        not null,
    otp_seed      bytea,
    otp_channel   text,
    legacy_otp    text,
    created_at    timestamptz not null default now()
);
