CREATE INDEX IF NOT EXISTS "document_outdated_idx" ON "document" ("tenant_id", "environment", "id") WHERE CASE WHEN "removed_at" IS NULL AND left("words", 3) IS DISTINCT FROM 'v2:' THEN 1 END = 1;
