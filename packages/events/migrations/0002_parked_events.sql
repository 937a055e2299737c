-- An event that RabbitMQ refuses stays here with the reason, and no longer stops the events behind it. To send it again:
-- UPDATE platform.outbox SET parked_at = NULL, parked_reason = NULL WHERE id = '…'
ALTER TABLE platform.outbox ADD COLUMN parked_at timestamptz, ADD COLUMN parked_reason text;
GRANT UPDATE (parked_at, parked_reason) ON platform.outbox TO :relay;
