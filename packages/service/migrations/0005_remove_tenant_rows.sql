-- Removes rows of a tenant that is being deleted. It runs as the owner of the tables, because the service's role may not
-- delete from all of them (the audit log), and only for the tenant of the scope, whose state must be `removing`. Forced
-- row-level security holds for the owner too.
--
-- Returns the number of removed rows, at most `most`, or -1 if rows of another table still refer to them.
CREATE FUNCTION platform.remove_tenant_rows(of_table regclass, tenant_column text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  condition text;
  leaves text;
  removed bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM platform.tenant_state WHERE tenant_id = platform.tenant_id() AND state = 'removing') THEN
    RAISE EXCEPTION 'The tenant is not being removed';
  END IF;
  IF tenant_column NOT IN ('tenant_id', 'owner_tenant_id') THEN
    RAISE EXCEPTION 'The column % does not name the tenant of a row', tenant_column;
  END IF;
  condition := format('row.%I = platform.tenant_id()', tenant_column);
  IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = of_table AND attname = 'environment' AND NOT attisdropped) THEN
    condition := condition || ' AND row.environment = platform.environment()';
  END IF;
  -- In a table that refers to itself, rows without children first: a batch must not contain a parent without its children.
  SELECT coalesce(string_agg(format(' AND NOT EXISTS (SELECT FROM %s AS child WHERE child.ctid <> row.ctid AND %s)', of_table, joined), ''), '')
  INTO leaves FROM (
    SELECT (SELECT string_agg(format('child.%I = row.%I', referring.attname, referred.attname), ' AND ')
      FROM unnest(conkey, confkey) AS pair (child, parent)
      JOIN pg_attribute AS referring ON referring.attrelid = of_table AND referring.attnum = pair.child
      JOIN pg_attribute AS referred ON referred.attrelid = of_table AND referred.attnum = pair.parent) AS joined
    FROM pg_constraint WHERE contype = 'f' AND conrelid = of_table AND confrelid = of_table) AS own;
  EXECUTE format('WITH gone AS (DELETE FROM %1$s WHERE ctid = ANY(ARRAY(
    SELECT row.ctid FROM %1$s AS row WHERE %2$s LIMIT %3$s)) RETURNING 1) SELECT count(*) FROM gone',
    of_table, condition || leaves, most) INTO removed;
  IF removed = 0 AND leaves <> '' THEN
    EXECUTE format('WITH gone AS (DELETE FROM %s AS row WHERE %s RETURNING 1) SELECT count(*) FROM gone', of_table, condition) INTO removed;
  END IF;
  RETURN removed;
EXCEPTION WHEN foreign_key_violation THEN
  RETURN -1;
END $body$;
REVOKE ALL ON FUNCTION platform.remove_tenant_rows(regclass, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION platform.remove_tenant_rows(regclass, text, integer) TO :app;
-- The tables of services have a policy for every role; these have policies for single roles.
CREATE POLICY removal ON platform.idempotency_key TO :owner USING (tenant_id = platform.tenant_id());
CREATE POLICY removal ON platform.first_use TO :owner USING (tenant_id = platform.tenant_id());
CREATE POLICY removal ON platform.inbox TO :owner USING (tenant_id = platform.tenant_id());
CREATE POLICY removal ON platform.outbox TO :owner USING (tenant_id = platform.tenant_id());
