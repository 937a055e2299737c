-- Finds files by the words of their text. Row-level security keeps `@@` out of the index, because PostgreSQL does not know it
-- to be leakproof: packages/tenant-db/src/lookups.ts. The function runs as the owner of the tables, and has the tenant and the
-- environment of the caller in its own text. Each call is planned anew, with its words in view: rare words are looked up in
-- the index, and for words of most texts the newest texts are read until there are enough.
CREATE POLICY lookup ON "file_text" FOR SELECT TO "tandem_files_owner" USING (true);

-- of_entity: only files of this record; null for all.
CREATE FUNCTION "file_text_with_words"(wanted text, of_entity text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF of_entity IS NULL THEN
    RETURN QUERY EXECUTE $sql$
      SELECT file_id FROM "file_text" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
        AND words @@ websearch_to_tsquery('simple', $1)
      ORDER BY file_id DESC LIMIT $2
    $sql$ USING wanted, most;
  ELSE
    -- Materialized, because a record has few files compared with those that have a common word.
    RETURN QUERY EXECUTE $sql$
      WITH of_record AS MATERIALIZED (
        SELECT id FROM "file" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
          AND entity_id = $2 AND deleted_at IS NULL)
      SELECT file_id FROM of_record JOIN "file_text" ON file_id = of_record.id
      WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
        AND words @@ websearch_to_tsquery('simple', $1)
      ORDER BY file_id DESC LIMIT $3
    $sql$ USING wanted, of_entity, most;
  END IF;
END $$;
REVOKE ALL ON FUNCTION "file_text_with_words"(text, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "file_text_with_words"(text, text, integer) TO "tandem_files_app";
