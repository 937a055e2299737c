import { checkMigration } from './migration-check.ts';

const findRules = async (sql: string) =>
  (await checkMigration(sql)).map((finding) => /\(([a-z-]+)\):/.exec(finding)?.[1]);

describe('a migration that is unsafe on a running system', () => {
  it.each([
    ['index', 'CREATE INDEX "a" ON "lead" ("status");'],
    ['index', 'CREATE INDEX CONCURRENTLY "a" ON "lead" ("status");'],
    ['drop-index', 'DROP INDEX "a";'],
    ['column-rewrite', 'ALTER TABLE "lead" ADD COLUMN "k" TEXT GENERATED ALWAYS AS (lower("email")) STORED;'],
    ['column-rewrite', 'ALTER TABLE "lead" ADD COLUMN "k" UUID DEFAULT gen_random_uuid();'],
    ['column-rewrite', 'ALTER TABLE "lead" ADD COLUMN "k" BIGINT GENERATED ALWAYS AS IDENTITY;'],
    ['column-required', 'ALTER TABLE "lead" ADD COLUMN "k" TEXT NOT NULL;'],
    ['column-type', 'ALTER TABLE "lead" ALTER COLUMN "score" TYPE BIGINT;'],
    ['set-not-null', 'ALTER TABLE "lead" ALTER COLUMN "score" SET NOT NULL;'],
    ['constraint', 'ALTER TABLE "lead" ADD CONSTRAINT "f" FOREIGN KEY ("a") REFERENCES "b" ("id");'],
    ['constraint', 'ALTER TABLE "lead" ADD CONSTRAINT "c" CHECK ("score" >= 0);'],
    ['constraint', 'ALTER TABLE "lead" ADD CONSTRAINT "u" UNIQUE ("email");'],
    ['constraint', 'ALTER TABLE "lead" ADD COLUMN "k" TEXT UNIQUE;'],
    ['rename', 'ALTER TABLE "lead" RENAME COLUMN "email" TO "address";'],
    ['data', `UPDATE "lead" SET "status" = 'new';`],
    ['data', 'INSERT INTO "lead_copy" SELECT * FROM "lead";'],
    ['data', `WITH x AS (UPDATE "lead" SET "status" = 'new' RETURNING "id") SELECT * FROM x;`],
    ['data', 'CREATE TABLE "t" AS WITH x AS (DELETE FROM "lead" RETURNING *) SELECT * FROM x;'],
    ['data', 'MERGE INTO "lead" USING "deal" ON "lead"."id" = "deal"."lead_id" WHEN MATCHED THEN DELETE;'],
    ['data', `COPY "lead" FROM '/tmp/leads.csv';`],
    ['code', `DO $$ BEGIN UPDATE "lead" SET "status" = 'new'; END $$;`],
    ['code', 'CALL move_leads();'],
    ['drop', 'ALTER TABLE "lead" DROP COLUMN "email";'],
    ['drop', 'DROP TABLE "lead";'],
    ['drop', 'CREATE TABLE "t" ("id" BIGINT); DROP TABLE "t", platform.t;'],
    ['table-rewrite', 'ALTER TABLE "lead" SET UNLOGGED;'],
    ['table-rewrite', 'ALTER TABLE "lead" SET ACCESS METHOD "heap2";'],
    ['table-rewrite', 'CLUSTER "lead" USING "lead_pkey";'],
    ['table-rewrite', 'CLUSTER;'],
    ['lock', 'LOCK TABLE "lead" IN SHARE MODE;'],
    ['reindex', 'REINDEX TABLE "lead";'],
    ['reindex', 'REINDEX INDEX CONCURRENTLY "lead_pkey";'],
    ['truncate', 'TRUNCATE "lead";'],
    ['backfill-limit', `-- backfill\nUPDATE "lead" SET "status" = 'new' WHERE "status" = 'old';`],
  ])('is rejected (%s): %s', async (rule, sql) => {
    expect(await findRules(sql)).toEqual([rule]);
  });

  it('is rejected when it validates a constraint under the lock that adds it', async () => {
    const sql = `ALTER TABLE "lead" ADD CONSTRAINT "c" CHECK ("score" >= 0) NOT VALID;
      ALTER TABLE "lead" VALIDATE CONSTRAINT "c";`;
    expect(await checkMigration(sql)).toEqual([expect.stringContaining('VALIDATE CONSTRAINT')]);
  });

  it('is rejected when it mixes transactional and non-transactional statements', async () => {
    const sql = `ALTER TABLE "lead" ADD COLUMN "k" TEXT; CREATE INDEX CONCURRENTLY IF NOT EXISTS "a" ON "lead" ("k");`;
    expect(await checkMigration(sql)).toEqual([expect.stringContaining('a separate migration')]);
  });
});

describe('a safe migration', () => {
  it.each([
    ['CREATE INDEX CONCURRENTLY IF NOT EXISTS "a" ON "lead" ("status"); DROP INDEX CONCURRENTLY IF EXISTS "b";'],
    [`ALTER TABLE "lead" ADD COLUMN "a" TEXT, ADD COLUMN "b" TEXT NOT NULL DEFAULT 'x';`],
    ['ALTER TABLE "lead" ADD COLUMN "at" TIMESTAMPTZ NOT NULL DEFAULT now();'],
    ['ALTER TABLE "lead" ADD CONSTRAINT "f" FOREIGN KEY ("a") REFERENCES "b" ("id") NOT VALID;'],
    ['ALTER TABLE "lead" VALIDATE CONSTRAINT "f";'],
    ['ALTER TABLE "lead" ADD CONSTRAINT "u" UNIQUE USING INDEX "lead_email";'],
    [`CREATE TABLE "t" ("id" BIGINT PRIMARY KEY); CREATE INDEX "i" ON "t" ("id"); INSERT INTO "t" VALUES (1);`],
    [
      'CREATE TABLE "t" ("id" BIGINT, "k" TEXT); LOCK TABLE "t"; TRUNCATE "t"; ALTER TABLE "t" DROP COLUMN "k"; DROP TABLE "t";',
    ],
    ['CREATE FUNCTION f() RETURNS void LANGUAGE sql BEGIN ATOMIC DELETE FROM "lead"; END;'],
    [`COPY "lead" TO '/tmp/leads.csv';`],
    ['-- allow drop: no release since 1.17 reads it\nALTER TABLE "lead" DROP COLUMN "email";'],
    ['-- allow code: changes no rows\nDO $$ BEGIN PERFORM 1; END $$;'],
    ['-- backfill\nUPDATE "lead" SET "a" = \'\' WHERE "id" IN (SELECT "id" FROM "lead" WHERE "a" IS NULL LIMIT 5000);'],
    ['-- allow set-not-null: the check lead_score is valid\nALTER TABLE "lead" ALTER COLUMN "score" SET NOT NULL;'],
  ])('is accepted: %s', async (sql) => {
    expect(await checkMigration(sql)).toEqual([]);
  });
});
