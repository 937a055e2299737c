-- Creates a function that finds ids by a condition which row-level security keeps out of indexes, because PostgreSQL does not
-- know its operator to be leakproof (packages/tenant-db/src/lookups.ts). The created function runs as the owner of the tables,
-- who may read all rows, and has the tenant and the environment of the caller in its own text. Each call is planned anew, with
-- its value in view.
--
-- kind: text, for columns that contain the value; list, for a text[] that has it as a member; json, for a jsonb with that
-- member. A migration calls it with the expression that the GIN index is built on:
--   SELECT platform.create_lookup('text', 'lead', 'text', $$(email || ' ' || last_name)$$);
--   SELECT platform.create_lookup('list', 'lead', 'tags', 'tags');
CREATE FUNCTION platform.create_lookup(kind text, of_table text, suffix text, expression text) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_catalog, pg_temp AS $body$
DECLARE
  lookup text := of_table || '_with_' || suffix;
  operator text := CASE kind WHEN 'text' THEN 'ILIKE' ELSE '@>' END;
  operand text := CASE kind
    WHEN 'text' THEN $operand$'%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%'$operand$
    WHEN 'list' THEN 'ARRAY[wanted]'
    WHEN 'json' THEN 'wanted::jsonb'
  END;
BEGIN
  IF operand IS NULL THEN
    RAISE EXCEPTION 'The kind of a lookup is text, list or json, not %', kind;
  END IF;
  -- For the index.
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  IF NOT EXISTS (SELECT FROM pg_policy WHERE polname = 'lookup' AND polrelid = format('%I', of_table)::regclass) THEN
    EXECUTE format('CREATE POLICY lookup ON %I FOR SELECT TO :owner USING (true)', of_table);
  END IF;
  EXECUTE format($create$
    CREATE FUNCTION "%s"(wanted text, most integer) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $function$
    BEGIN
      RETURN QUERY EXECUTE $sql$
        SELECT id FROM "%s" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND %s %s $1 LIMIT $2
      $sql$ USING %s, most;
    END $function$
  $create$, lookup, of_table, expression, operator, operand);
  EXECUTE format('REVOKE ALL ON FUNCTION %I(text, integer) FROM PUBLIC', lookup);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %I(text, integer) TO :app', lookup);
END $body$;

REVOKE ALL ON FUNCTION platform.create_lookup(text, text, text, text) FROM PUBLIC;
