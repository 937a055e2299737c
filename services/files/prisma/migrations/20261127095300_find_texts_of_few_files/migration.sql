-- The files of a record, of a user or of teams are read first if they are few: their texts are looked up then, instead of
-- each text with a common word. Otherwise as before: of rare words or values the index is read, else the newest texts until
-- there are enough.
CREATE OR REPLACE FUNCTION "find_files_by_words"(wanted text, filters jsonb, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  few constant integer := 20000;
  ids bigint[];
  user_id bigint := (filters->>'userId')::bigint;
  team_ids bigint[] := ARRAY(SELECT jsonb_array_elements_text(filters->'teamIds')::bigint);
  -- Each with an index of its own.
  readers text[] := CASE
    WHEN user_id IS NULL THEN ARRAY['true']
    WHEN team_ids = '{}' THEN ARRAY['uploaded_by = $4']
    ELSE ARRAY['uploaded_by = $4', 'team_id = ANY ($5)'] END;
  parts text[];
  conditions text := CASE WHEN (filters->>'deleted')::boolean THEN 'deleted_at IS NOT NULL' ELSE 'deleted_at IS NULL' END;
BEGIN
  IF filters ? 'entityId' THEN conditions := conditions || ' AND entity_id = $2->>''entityId'''; END IF;
  IF filters ? 'entityType' THEN conditions := conditions || ' AND entity_type = $2->>''entityType'''; END IF;
  IF filters ? 'contentType' THEN conditions := conditions || ' AND content_type = $2->>''contentType'''; END IF;
  IF filters ? 'status' THEN conditions := conditions || ' AND status = $2->>''status'''; END IF;
  IF filters ? 'tag' THEN conditions := conditions || ' AND tags @> ARRAY[$2->>''tag'']'; END IF;
  IF filters ? 'entityId' OR filters ? 'userId' THEN
    parts := ARRAY(SELECT format($sql$
      (SELECT id FROM "file" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
        AND %s AND %s LIMIT $1)$sql$, conditions, reader) FROM unnest(readers) AS reader);
    EXECUTE 'SELECT array_agg(id) FROM (' || array_to_string(parts, ' UNION ') || ') AS found'
      INTO ids USING few + 1, filters, NULL::text, user_id, team_ids;
    IF coalesce(cardinality(ids), 0) <= few THEN
      RETURN QUERY
        SELECT file_id FROM unnest(ids) AS found (id) JOIN "file_text" ON file_id = found.id
        WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
          AND words @@ websearch_to_tsquery('simple', wanted)
        ORDER BY file_id DESC LIMIT most;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY EXECUTE $sql$
    SELECT file_id FROM "file_text" AS texts
    JOIN "file" ON "file".tenant_id = texts.tenant_id AND "file".environment = texts.environment AND "file".id = file_id
    WHERE texts.tenant_id = platform.tenant_id() AND texts.environment = platform.environment()
      AND words @@ websearch_to_tsquery('simple', $1) AND $sql$ || conditions || ' AND ('
    || array_to_string(readers, ' OR ') || $sql$)
    ORDER BY file_id DESC LIMIT $3
  $sql$ USING wanted, filters, most, user_id, team_ids;
END $$;
