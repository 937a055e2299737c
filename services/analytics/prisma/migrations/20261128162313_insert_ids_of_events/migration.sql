-- backfill
INSERT INTO engagement_key (tenant_id, environment, key, event_id, "timestamp")
  SELECT event.tenant_id, event.environment, 'insert ' || event.insert_id, event.id, event."timestamp"
  FROM engagement_event AS event
  WHERE event.insert_id IS NOT NULL AND NOT EXISTS (SELECT FROM engagement_key AS key
    WHERE key.tenant_id = event.tenant_id AND key.environment = event.environment AND key.key = 'insert ' || event.insert_id)
  LIMIT 5000
ON CONFLICT DO NOTHING;
