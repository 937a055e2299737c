-- backfill
-- As `mailboxOf` does. Domains of public mail providers are stored too, but never looked for. Erased contacts have no address.
UPDATE "deal_registration" SET "contact_domain_key" = found."host",
  "mailbox_key" = CASE WHEN found."host" IN ('gmail.com', 'googlemail.com') THEN replace(found."name", '.', '') || '@gmail.com'
    ELSE found."name" || '@' || found."host" END
FROM (
  SELECT "tenant_id", "environment", "id", substring("contact_email_key" FROM '@([^@]*)$') AS "host",
    regexp_replace(regexp_replace("contact_email_key", '@[^@]*$', ''), '(.)\+.*$', '\1') AS "name"
  FROM "deal_registration" WHERE "mailbox_key" IS NULL AND "contact_email_key" LIKE '%@%' LIMIT 5000) found
WHERE "deal_registration"."tenant_id" = found."tenant_id" AND "deal_registration"."environment" = found."environment"
  AND "deal_registration"."id" = found."id";
