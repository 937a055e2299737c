-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "score_components" JSONB,
ADD COLUMN     "score_pinned" BOOLEAN,
ADD COLUMN     "scored_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "scoring_rule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "group" TEXT NOT NULL,
    "field" TEXT,
    "operator" TEXT,
    "value" JSONB,
    "event_type" TEXT,
    "points" INTEGER NOT NULL,
    "max_points" INTEGER,
    "decay_days" INTEGER,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scoring_rule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "scoring_state" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "recount_job_id" BIGINT,
    "recount_after" BIGINT NOT NULL DEFAULT 0,
    "recount_done" INTEGER NOT NULL DEFAULT 0,
    "recount_total" INTEGER,
    "recount_changed" INTEGER NOT NULL DEFAULT 0,
    "decay_scheduled" BOOLEAN NOT NULL DEFAULT false,
    "decay_after" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "scoring_state_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "lead_engagement" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "lead_engagement_pkey" PRIMARY KEY ("tenant_id","environment","lead_id","type","day")
);

-- CreateTable
CREATE TABLE "lead_score_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "score" DOUBLE PRECISION NOT NULL,
    "delta" DOUBLE PRECISION NOT NULL,
    "cause" TEXT NOT NULL,
    "rule_id" BIGINT,
    "reason" TEXT,
    "by_user_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lead_score_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "assignment_rule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "match" JSONB NOT NULL DEFAULT '[]',
    "team_id" BIGINT,
    "user_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "weights" JSONB NOT NULL DEFAULT '[]',
    "method" TEXT NOT NULL,
    "capacity" INTEGER,
    "sort_order" INTEGER NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "apply_to_new" BOOLEAN NOT NULL DEFAULT true,
    "turn" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "assignment_rule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "assignment_turn" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "rule_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "last_turn" INTEGER NOT NULL,
    "credit" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "assignment_turn_pkey" PRIMARY KEY ("tenant_id","environment","rule_id","user_id")
);

-- CreateIndex
CREATE INDEX "scoring_rule_tenant_id_environment_created_at_id_idx" ON "scoring_rule"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "scoring_rule_tenant_id_environment_name_id_idx" ON "scoring_rule"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "scoring_rule_tenant_id_environment_active_created_at_id_idx" ON "scoring_rule"("tenant_id", "environment", "active", "created_at", "id");

-- CreateIndex
CREATE INDEX "scoring_rule_tenant_id_environment_group_created_at_id_idx" ON "scoring_rule"("tenant_id", "environment", "group", "created_at", "id");

-- CreateIndex
CREATE INDEX "lead_score_change_tenant_id_environment_lead_id_created_at__idx" ON "lead_score_change"("tenant_id", "environment", "lead_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "lead_score_change_created_at_idx" ON "lead_score_change"("created_at");

-- CreateIndex
CREATE INDEX "assignment_rule_tenant_id_environment_sort_order_id_idx" ON "assignment_rule"("tenant_id", "environment", "sort_order", "id");

-- CreateIndex
CREATE INDEX "assignment_rule_tenant_id_environment_created_at_id_idx" ON "assignment_rule"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "assignment_rule_tenant_id_environment_name_id_idx" ON "assignment_rule"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "assignment_rule_tenant_id_environment_active_sort_order_id_idx" ON "assignment_rule"("tenant_id", "environment", "active", "sort_order", "id");

-- AddForeignKey
ALTER TABLE "lead_engagement" ADD CONSTRAINT "lead_engagement_tenant_id_environment_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lead_score_change" ADD CONSTRAINT "lead_score_change_tenant_id_environment_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "assignment_turn" ADD CONSTRAINT "assignment_turn_tenant_id_environment_rule_id_fkey" FOREIGN KEY ("tenant_id", "environment", "rule_id") REFERENCES "assignment_rule"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "scoring_rule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "scoring_rule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "scoring_rule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "scoring_state" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "scoring_state" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "scoring_state" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lead_engagement" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_engagement" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_engagement" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lead_score_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_score_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_score_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "assignment_rule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "assignment_rule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "assignment_rule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "assignment_turn" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "assignment_turn" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "assignment_turn" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "scoring_rule"
  ADD CONSTRAINT "scoring_rule_group" CHECK ("group" IN ('fit', 'engagement')),
  ADD CONSTRAINT "scoring_rule_kind" CHECK (("field" IS NULL) <> ("event_type" IS NULL) AND ("field" IS NULL) = ("operator" IS NULL)),
  ADD CONSTRAINT "scoring_rule_points" CHECK ("points" BETWEEN -100 AND 100 AND "points" <> 0),
  ADD CONSTRAINT "scoring_rule_max_points" CHECK ("max_points" BETWEEN 1 AND 100),
  ADD CONSTRAINT "scoring_rule_decay_days" CHECK ("decay_days" BETWEEN 1 AND 365);
ALTER TABLE "lead_engagement" ADD CONSTRAINT "lead_engagement_count" CHECK ("count" > 0);
ALTER TABLE "lead_score_change" ADD CONSTRAINT "lead_score_change_score" CHECK ("score" BETWEEN 0 AND 100);
ALTER TABLE "assignment_rule"
  ADD CONSTRAINT "assignment_rule_method" CHECK ("method" IN ('round_robin', 'least_busy', 'weighted')),
  ADD CONSTRAINT "assignment_rule_capacity" CHECK ("capacity" > 0);

-- The history of scores is kept for a year. The role of housekeeping sees only older rows.
GRANT SELECT ("created_at"), DELETE ON "lead_score_change" TO "tandem_crm_relay";
CREATE POLICY purge ON "lead_score_change" TO "tandem_crm_relay" USING ("created_at" < now() - interval '365 days');
