-- A transaction that began before the removal of its tenant must not commit after it: its rows would stay. The check is at
-- the insert of its events, the last statement before the commit. The report of the removal itself is an event too.
CREATE FUNCTION platform.refuse_removed_tenant() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF EXISTS (SELECT FROM platform.tenant_state
      WHERE tenant_id = platform.tenant_id() AND state IN ('removing', 'removed')) THEN
    RAISE EXCEPTION 'The data of the tenant is being removed' USING ERRCODE = 'TNR01';
  END IF;
  RETURN NEW;
END $body$;
CREATE TRIGGER refuse_removed_tenant BEFORE INSERT ON platform.outbox
  FOR EACH ROW WHEN (NEW.name <> 'tenant.data_removed') EXECUTE FUNCTION platform.refuse_removed_tenant();
