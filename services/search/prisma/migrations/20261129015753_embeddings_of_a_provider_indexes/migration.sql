-- Documents that wait for a vector of the provider's model are found by it. Removed ones wait for nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "document_embedded_by_idx" ON "document" ("tenant_id", "environment", "embedded_by", "id") WHERE "removed_at" IS NULL;
