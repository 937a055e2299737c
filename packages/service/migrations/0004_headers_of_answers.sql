-- What an operation says in headers of its own, such as where a generated result comes from.
ALTER TABLE platform.idempotency_key ADD COLUMN headers jsonb;
