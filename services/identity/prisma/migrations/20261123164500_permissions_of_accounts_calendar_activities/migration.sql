-- backfill
UPDATE "role" SET "permissions" = "role"."permissions" || "added"."permissions"
FROM (VALUES
  ('admin', ARRAY['accounts:*', 'calendar:*', 'activities:*']),
  ('manager', ARRAY['accounts:*', 'calendar:*', 'activities:*']),
  ('member', ARRAY['accounts:read', 'accounts:write', 'calendar:read', 'calendar:write', 'activities:read', 'activities:write',
    'calendar:delete:own', 'activities:delete:own']),
  ('viewer', ARRAY['accounts:read', 'calendar:read', 'activities:read'])) AS "added" ("name", "permissions")
WHERE ("role"."tenant_id", "role"."id") IN (
  SELECT "known"."tenant_id", "known"."id" FROM "role" AS "known"
  WHERE "known"."is_system" AND "known"."name" = "added"."name" AND NOT "known"."permissions" @> "added"."permissions"
  LIMIT 1000);
