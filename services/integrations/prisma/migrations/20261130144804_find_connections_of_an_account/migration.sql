-- Whether an account of a provider is connected, in any tenant and environment: a revocation ends the grant of the account, and
-- with it all of its connections. With elsewhere, those of the current tenant do not count. Forced row-level security holds for
-- the owner of the table too, so a policy admits the owner while this function looks, which runs as the owner and returns nothing
-- else. The policy is for no other role, so the setting gives the role of the service nothing.
CREATE POLICY account_check ON "connection" FOR SELECT TO "tandem_integrations_owner" USING (current_setting('platform.account_check', true) = 'on');
CREATE FUNCTION "is_account_connected"(account text, connector_keys text[], elsewhere boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $body$
DECLARE
  is_connected boolean;
BEGIN
  PERFORM set_config('platform.account_check', 'on', true);
  is_connected := EXISTS (SELECT FROM "connection"
    WHERE account_id = account AND connector_key = ANY(connector_keys) AND deleted_at IS NULL
      AND NOT (elsewhere AND tenant_id = platform.tenant_id()));
  PERFORM set_config('platform.account_check', 'off', true);
  RETURN is_connected;
END $body$;
REVOKE ALL ON FUNCTION "is_account_connected"(text, text[], boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "is_account_connected"(text, text[], boolean) TO "tandem_integrations_app";
