-- A removed document stays for 30 days as a version without words, so that no late event brings it back. Then housekeeping
-- removes it. The role it works under sees no other document, and of these only since when they are removed.
GRANT SELECT ("removed_at"), DELETE ON "document" TO "tandem_search_relay";
CREATE POLICY purge ON "document" TO "tandem_search_relay" USING ("removed_at" < now() - interval '30 days');
CREATE INDEX "document_removed_at_idx" ON "document" ("removed_at") WHERE "removed_at" IS NOT NULL;
