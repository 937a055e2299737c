CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tags" ON "file" USING gin ("tenant_id" int8_ops, "tags" array_ops) WITH (gin_pending_list_limit = 512);
