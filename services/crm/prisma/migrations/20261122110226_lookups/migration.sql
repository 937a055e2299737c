-- Functions that find ids by conditions which row-level security keeps out of indexes, because PostgreSQL does not know their
-- operators to be leakproof: packages/tenant-db/src/lookups.ts. They run as the owner of the tables, who may read all rows,
-- and have the tenant and the environment of the caller in their own text. Each call is planned anew, with its value in view.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE POLICY lookup ON "lead" FOR SELECT TO "tandem_crm_owner" USING (true);

CREATE FUNCTION "lead_with_text"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "lead" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND (email || ' ' || first_name || ' ' || last_name || ' ' || coalesce(external_id, '')) ILIKE $1 LIMIT $2
  $sql$ USING '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%', most;
END $$;
REVOKE ALL ON FUNCTION "lead_with_text"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "lead_with_text"(text, integer) TO "tandem_crm_app";

CREATE FUNCTION "lead_with_tags"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "lead" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND tags @> $1 LIMIT $2
  $sql$ USING ARRAY[wanted], most;
END $$;
REVOKE ALL ON FUNCTION "lead_with_tags"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "lead_with_tags"(text, integer) TO "tandem_crm_app";

CREATE FUNCTION "lead_with_custom_fields"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "lead" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND custom_fields @> $1 LIMIT $2
  $sql$ USING wanted::jsonb, most;
END $$;
REVOKE ALL ON FUNCTION "lead_with_custom_fields"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "lead_with_custom_fields"(text, integer) TO "tandem_crm_app";

CREATE POLICY lookup ON "opportunity" FOR SELECT TO "tandem_crm_owner" USING (true);

CREATE FUNCTION "opportunity_with_text"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "opportunity" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND name ILIKE $1 LIMIT $2
  $sql$ USING '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%', most;
END $$;
REVOKE ALL ON FUNCTION "opportunity_with_text"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "opportunity_with_text"(text, integer) TO "tandem_crm_app";

CREATE POLICY lookup ON "task" FOR SELECT TO "tandem_crm_owner" USING (true);

CREATE FUNCTION "task_with_text"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT id FROM "task" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND title ILIKE $1 LIMIT $2
  $sql$ USING '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%', most;
END $$;
REVOKE ALL ON FUNCTION "task_with_text"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "task_with_text"(text, integer) TO "tandem_crm_app";
