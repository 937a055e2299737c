-- AlterTable
ALTER TABLE "audit_log" ADD COLUMN     "changes_digest" TEXT,
ADD COLUMN     "changes_salt" TEXT;

-- Removes the values of entries for the erasure of a person. The service's role may not change the log; this function removes
-- only what the hash of an entry does not cover.
CREATE FUNCTION erase_audit_changes(entries bigint[]) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  WITH erased AS (
    UPDATE public.audit_log SET changes = NULL, changed_ids = NULL, changes_salt = NULL
    WHERE tenant_id = platform.tenant_id() AND id = ANY(entries) AND hash_form = 3 RETURNING 1)
  SELECT count(*)::int FROM erased
$body$;
REVOKE ALL ON FUNCTION erase_audit_changes(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_audit_changes(bigint[]) TO "tandem_identity_app";
