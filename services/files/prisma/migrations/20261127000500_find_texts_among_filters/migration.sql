-- Finds files by the words of their text, among those that have the other exact values of the list, so that the limit counts
-- only these. As `file_text_with_words`, which the previous release calls, it runs as the owner of the tables, has the tenant
-- and the environment of the caller in its own text, and plans each call with its values in view: of rare words or values the
-- index is read, otherwise the newest texts until there are enough.
-- filters: `deleted`, and if given `entityType`, `entityId`, `contentType`, `status`, `tag`, and `userId` with `teamIds`, which
-- limit the files to those of the user and the teams.
CREATE FUNCTION "find_files_by_words"(wanted text, filters jsonb, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  conditions text := CASE WHEN (filters->>'deleted')::boolean THEN 'deleted_at IS NOT NULL' ELSE 'deleted_at IS NULL' END;
BEGIN
  IF filters ? 'entityType' THEN conditions := conditions || ' AND entity_type = $2->>''entityType'''; END IF;
  IF filters ? 'contentType' THEN conditions := conditions || ' AND content_type = $2->>''contentType'''; END IF;
  IF filters ? 'status' THEN conditions := conditions || ' AND status = $2->>''status'''; END IF;
  IF filters ? 'tag' THEN conditions := conditions || ' AND tags @> ARRAY[$2->>''tag'']'; END IF;
  IF filters ? 'userId' THEN
    conditions := conditions || ' AND (uploaded_by = ($2->>''userId'')::bigint
      OR team_id = ANY (ARRAY(SELECT jsonb_array_elements_text($2->''teamIds'')::bigint)))';
  END IF;
  IF filters ? 'entityId' THEN
    -- Materialized, because a record has few files compared with those that have a common word.
    RETURN QUERY EXECUTE $sql$
      WITH of_record AS MATERIALIZED (
        SELECT id FROM "file" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
          AND entity_id = $2->>'entityId' AND $sql$ || conditions || $sql$)
      SELECT file_id FROM of_record JOIN "file_text" ON file_id = of_record.id
      WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
        AND words @@ websearch_to_tsquery('simple', $1)
      ORDER BY file_id DESC LIMIT $3
    $sql$ USING wanted, filters, most;
  ELSE
    RETURN QUERY EXECUTE $sql$
      SELECT file_id FROM "file_text" AS texts
      JOIN "file" ON "file".tenant_id = texts.tenant_id AND "file".environment = texts.environment AND "file".id = file_id
      WHERE texts.tenant_id = platform.tenant_id() AND texts.environment = platform.environment()
        AND words @@ websearch_to_tsquery('simple', $1) AND $sql$ || conditions || $sql$
      ORDER BY file_id DESC LIMIT $3
    $sql$ USING wanted, filters, most;
  END IF;
END $$;
REVOKE ALL ON FUNCTION "find_files_by_words"(text, jsonb, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "find_files_by_words"(text, jsonb, integer) TO "tandem_files_app";
