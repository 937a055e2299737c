CREATE INDEX CONCURRENTLY IF NOT EXISTS "calendar_event_booked" ON "calendar_event"("tenant_id", "environment", "booking_link_id", "created_at") WHERE (booking_link_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "calendar_event_booked_start" ON "calendar_event"("tenant_id", "environment", "booking_link_id", "start_at") WHERE (booking_link_id IS NOT NULL);
