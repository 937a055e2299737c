CREATE INDEX IF NOT EXISTS "posting_tenant_id_environment_type_weight_term_doc_id_idx" ON "posting" ("tenant_id", "environment", "type", "weight", "term", "doc_id" DESC);
CREATE INDEX IF NOT EXISTS "document_outdated_idx" ON "document" ("tenant_id", "environment", "id") WHERE CASE WHEN "removed_at" IS NULL AND left("words", 3) IS DISTINCT FROM 'v2:' THEN 1 END = 1;
