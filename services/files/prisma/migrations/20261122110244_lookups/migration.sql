-- Functions that find ids by conditions which row-level security keeps out of indexes, because PostgreSQL does not know their
-- operators to be leakproof: packages/tenant-db/src/lookups.ts. They run as the owner of the tables, who may read all rows,
-- and have the tenant and the environment of the caller in their own text. Each call is planned anew, with its value in view.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE POLICY lookup ON "file" FOR SELECT TO "tandem_files_owner" USING (true);

CREATE FUNCTION "file_with_text"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "file" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND filename ILIKE $1 LIMIT $2
  $sql$ USING '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%', most;
END $$;
REVOKE ALL ON FUNCTION "file_with_text"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "file_with_text"(text, integer) TO "tandem_files_app";
