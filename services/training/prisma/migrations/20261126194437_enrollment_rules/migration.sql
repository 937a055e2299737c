-- AlterTable
ALTER TABLE "certificate" ADD COLUMN     "merged_from_lead_id" BIGINT;

-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "merged_from_lead_id" BIGINT,
ADD COLUMN     "withdraw_reason" TEXT;

-- CreateTable
CREATE TABLE "enrollment_rule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "title" TEXT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "learner_type" TEXT NOT NULL,
    "role_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "team_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "tiers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "lead_conditions" JSONB NOT NULL DEFAULT '[]',
    "due_in_days" INTEGER,
    "expires_in_days" INTEGER,
    "reenroll" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "enrolled_count" INTEGER NOT NULL DEFAULT 0,
    "skipped_count" INTEGER NOT NULL DEFAULT 0,
    "existing_applied_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "enrollment_rule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "rule_outcome" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "rule_id" BIGINT NOT NULL,
    "learner_id" BIGINT NOT NULL,
    "skip_reason" TEXT,
    "decided_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rule_outcome_pkey" PRIMARY KEY ("tenant_id","environment","rule_id","learner_id")
);

-- CreateTable
CREATE TABLE "merged_lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "merged_into_id" BIGINT,
    "version" INTEGER NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "merged_lead_pkey" PRIMARY KEY ("tenant_id","environment","lead_id")
);

-- CreateIndex
CREATE INDEX "enrollment_rule_tenant_id_environment_created_at_id_idx" ON "enrollment_rule"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "enrollment_rule_tenant_id_environment_course_id_created_at__idx" ON "enrollment_rule"("tenant_id", "environment", "course_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "enrollment_rule_tenant_id_environment_learner_type_created__idx" ON "enrollment_rule"("tenant_id", "environment", "learner_type", "created_at", "id");

-- CreateIndex
CREATE INDEX "enrollment_rule_tenant_id_environment_active_created_at_id_idx" ON "enrollment_rule"("tenant_id", "environment", "active", "created_at", "id");

-- CreateIndex
CREATE INDEX "rule_outcome_skipped" ON "rule_outcome"("tenant_id", "environment", "rule_id", "decided_at") WHERE (skip_reason IS NOT NULL);

-- CreateIndex
CREATE INDEX "merged_lead_tenant_id_environment_merged_into_id_idx" ON "merged_lead"("tenant_id", "environment", "merged_into_id");

ALTER TABLE "enrollment_rule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "enrollment_rule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "enrollment_rule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "rule_outcome" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "rule_outcome" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "rule_outcome" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "merged_lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "merged_lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "merged_lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
