-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "account_id" BIGINT;

-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "account_id" BIGINT;

-- CreateTable
CREATE TABLE "account" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "domain" TEXT,
    "industry" TEXT,
    "size" INTEGER,
    "website" TEXT,
    "phone" TEXT,
    "address" JSONB NOT NULL DEFAULT '{}',
    "owner_id" BIGINT,
    "team_id" BIGINT,
    "parent_account_id" BIGINT,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "external_id" TEXT,
    "merged_into_id" BIGINT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "account_size" CHECK ("size" >= 0),
    CONSTRAINT "account_domain_form" CHECK ("domain" = lower("domain")),
    CONSTRAINT "account_parent" CHECK ("parent_account_id" <> "id")
);

-- CreateTable
CREATE TABLE "activity" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "kind" TEXT,
    "system" BOOLEAN NOT NULL DEFAULT false,
    "subject" TEXT,
    "body" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "lead_id" BIGINT,
    "opportunity_id" BIGINT,
    "partner_id" BIGINT,
    "account_id" BIGINT,
    "task_id" BIGINT,
    "timeline_account_id" BIGINT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "duration_seconds" INTEGER,
    "direction" TEXT,
    "outcome" TEXT,
    "user_id" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "activity_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "activity_kind" CHECK ("system" = ("kind" IS NOT NULL)),
    CONSTRAINT "activity_link" CHECK (num_nonnulls("lead_id", "opportunity_id", "partner_id", "account_id") > 0),
    CONSTRAINT "activity_duration" CHECK ("duration_seconds" >= 0)
);

-- CreateIndex
CREATE INDEX "account_present" ON "account"("tenant_id", "environment", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_updated_at_id_idx" ON "account"("tenant_id", "environment", "updated_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_name_id_idx" ON "account"("tenant_id", "environment", "name", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_domain_id_idx" ON "account"("tenant_id", "environment", "domain", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_industry_created_at_id_idx" ON "account"("tenant_id", "environment", "industry", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_owner_id_created_at_id_idx" ON "account"("tenant_id", "environment", "owner_id", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_team_id_created_at_id_idx" ON "account"("tenant_id", "environment", "team_id", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_created_by_created_at_id_idx" ON "account"("tenant_id", "environment", "created_by", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_tenant_id_environment_parent_account_id_created_at__idx" ON "account"("tenant_id", "environment", "parent_account_id", "created_at", "id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "account_deleted_at_idx" ON "account"("deleted_at") WHERE (deleted_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "account_deleted" ON "account"("tenant_id", "environment", "created_at", "id") WHERE (deleted_at IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "account_domain" ON "account"("tenant_id", "environment", "domain") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "account_external_id" ON "account"("tenant_id", "environment", "external_id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_created_at_id_idx" ON "activity"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_type_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "type", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_system_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "system", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_user_id_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "user_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_lead_id_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "lead_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_opportunity_id_occurred_at_i_idx" ON "activity"("tenant_id", "environment", "opportunity_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_partner_id_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "partner_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_account_id_occurred_at_id_idx" ON "activity"("tenant_id", "environment", "account_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "activity_tenant_id_environment_timeline_account_id_occurred_idx" ON "activity"("tenant_id", "environment", "timeline_account_id", "occurred_at", "id");

-- AddForeignKey
ALTER TABLE "activity" ADD CONSTRAINT "activity_tenant_id_environment_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "account" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "account" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "account" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "activity" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "activity" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "activity" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Functions for the search, tags and custom fields of accounts, and the index that they use.
SELECT platform.create_lookup('text', 'account', 'text', $$(name || ' ' || coalesce(domain, '') || ' ' || coalesce(external_id, ''))$$);
SELECT platform.create_lookup('list', 'account', 'tags', 'tags');
SELECT platform.create_lookup('json', 'account', 'custom_fields', 'custom_fields');

CREATE INDEX "account_lookup" ON "account" USING gin (tenant_id, (name || ' ' || coalesce(domain, '') || ' ' || coalesce(external_id, '')) gin_trgm_ops, tags, custom_fields jsonb_path_ops) WITH (gin_pending_list_limit = 512);

-- Leads of an e-mail domain that belong to no account. Row-level security keeps split_part out of indexes, because PostgreSQL does
-- not know it to be leakproof, so this runs as the owner of the tables, with the tenant and the environment of the caller in its
-- own text.
CREATE FUNCTION "lead_without_account"(wanted text, most integer) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT id FROM "lead" WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
    AND split_part(email_key, '@', 2) = wanted AND account_id IS NULL AND deleted_at IS NULL
  ORDER BY id LIMIT most
$$;
REVOKE ALL ON FUNCTION "lead_without_account"(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "lead_without_account"(text, integer) TO "tandem_crm_app";

-- A deleted account can be restored for 30 days. Housekeeping sees no other accounts.
GRANT SELECT ("deleted_at"), DELETE ON "account" TO "tandem_crm_relay";
CREATE POLICY purge ON "account" TO "tandem_crm_relay" USING ("deleted_at" < now() - interval '30 days');
