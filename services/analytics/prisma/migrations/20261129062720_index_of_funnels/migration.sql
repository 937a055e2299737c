-- allow index: the partition with the events of earlier months has the index already, and the others are those of months to come
CREATE INDEX "engagement_event_of_funnels" ON "engagement_event" ("tenant_id", "environment", "type", "timestamp", "lead_id", "automated");
