-- AlterTable
-- False for the rows that exist, which a backfill adds to the totals, and true for those that triggers add from now on.
ALTER TABLE "measure" ADD COLUMN "is_totalled" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "measure" ALTER COLUMN "is_totalled" SET DEFAULT true;

-- CreateTable
CREATE TABLE "measure_total" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "team_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "value" TEXT NOT NULL,
    "shard" SMALLINT NOT NULL,
    "count" BIGINT NOT NULL,
    "amount" DECIMAL(65,30) NOT NULL,

    CONSTRAINT "measure_total_pkey" PRIMARY KEY ("tenant_id","environment","team_id","name","day","value","shard")
);

ALTER TABLE "measure_total" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "measure_total" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "measure_total" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Triggers keep the totals, so that no writer has to remember them, also of the release before. Rows of measure are locked first, and
-- totals in the order of their keys; INSERT ... ON CONFLICT fires both triggers, so that their order would not be one order: writers of
-- the same shard wait for each other here. The removal of a tenant has another search path.
CREATE FUNCTION "total_new_measures"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock("shard"."key") FROM (
    SELECT DISTINCT hashtextextended(concat_ws(' ', 'totals', "tenant_id", "environment", "shard"), 0) AS "key" FROM "changed"
    ORDER BY 1) AS "shard";
  INSERT INTO "public"."measure_total" AS "total" ("tenant_id", "environment", "team_id", "name", "day", "value", "shard", "count", "amount")
  SELECT "tenant_id", "environment", "part"."team_id", "name", "day", "value", "shard", sum("count"), sum("amount")
  FROM "changed" CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY[0, "changed"."team_id"])) AS "part" ("team_id")
  WHERE "is_totalled"
  GROUP BY 1, 2, 3, 4, 5, 6, 7
  ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT ("tenant_id", "environment", "team_id", "name", "day", "value", "shard") DO UPDATE
    SET "count" = "total"."count" + excluded."count", "amount" = "total"."amount" + excluded."amount";
  RETURN NULL;
END $$;

CREATE FUNCTION "total_changed_measures"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock("shard"."key") FROM (
    SELECT DISTINCT hashtextextended(concat_ws(' ', 'totals', "tenant_id", "environment", "shard"), 0) AS "key" FROM "changed"
    ORDER BY 1) AS "shard";
  INSERT INTO "public"."measure_total" AS "total" ("tenant_id", "environment", "team_id", "name", "day", "value", "shard", "count", "amount")
  SELECT "tenant_id", "environment", "part"."team_id", "name", "day", "value", "shard",
    sum("changed"."count" - "former"."count"), sum("changed"."amount" - "former"."amount")
  FROM "changed" JOIN "former" USING ("tenant_id", "environment", "name", "day", "value", "user_id", "team_id", "shard")
    CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY[0, "team_id"])) AS "part" ("team_id")
  WHERE "former"."is_totalled"
  GROUP BY 1, 2, 3, 4, 5, 6, 7
  ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT ("tenant_id", "environment", "team_id", "name", "day", "value", "shard") DO UPDATE
    SET "count" = "total"."count" + excluded."count", "amount" = "total"."amount" + excluded."amount";
  RETURN NULL;
END $$;

CREATE TRIGGER "measure_inserted" AFTER INSERT ON "measure" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "total_new_measures"();
CREATE TRIGGER "measure_updated" AFTER UPDATE ON "measure" REFERENCING NEW TABLE AS "changed" OLD TABLE AS "former"
  FOR EACH STATEMENT EXECUTE FUNCTION "total_changed_measures"();
