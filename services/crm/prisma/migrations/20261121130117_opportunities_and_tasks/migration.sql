-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "converted_at" TIMESTAMPTZ(3),
ADD COLUMN     "converted_opportunity_id" BIGINT,
ADD COLUMN     "referral_code" TEXT;

-- CreateTable
CREATE TABLE "status_definition" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "entity_type" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "color" TEXT,
    "sort_order" INTEGER NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "category" TEXT,
    "is_closed" BOOLEAN NOT NULL DEFAULT false,
    "is_won" BOOLEAN NOT NULL DEFAULT false,
    "default_probability" INTEGER,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "status_definition_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "opportunity" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "lead_id" BIGINT,
    "value_minor" BIGINT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "stage" TEXT NOT NULL,
    "stage_id" BIGINT NOT NULL,
    "stage_entered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "probability" INTEGER NOT NULL,
    "forecast_category" TEXT NOT NULL DEFAULT 'pipeline',
    "expected_close_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "owner_id" BIGINT,
    "outcome" JSONB,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opportunity_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "task" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "type" TEXT NOT NULL DEFAULT 'other',
    "priority" TEXT NOT NULL DEFAULT 'normal',
    "status" TEXT NOT NULL DEFAULT 'pending',
    "due_at" TIMESTAMPTZ(3),
    "lead_id" BIGINT,
    "opportunity_id" BIGINT,
    "assigned_to" BIGINT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "status_definition_tenant_id_environment_sort_order_id_idx" ON "status_definition"("tenant_id", "environment", "sort_order", "id");

-- CreateIndex
CREATE UNIQUE INDEX "status_definition_tenant_id_environment_entity_type_code_key" ON "status_definition"("tenant_id", "environment", "entity_type", "code");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_stage_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "stage", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_stage_id_id_idx" ON "opportunity"("tenant_id", "environment", "stage_id", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_owner_id_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "owner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_lead_id_id_idx" ON "opportunity"("tenant_id", "environment", "lead_id", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_expected_close_at_id_idx" ON "opportunity"("tenant_id", "environment", "expected_close_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_value_id_idx" ON "opportunity"("tenant_id", "environment", "value", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_created_at_id_idx" ON "task"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_due_at_id_idx" ON "task"("tenant_id", "environment", "due_at", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_assigned_to_due_at_id_idx" ON "task"("tenant_id", "environment", "assigned_to", "due_at", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_lead_id_id_idx" ON "task"("tenant_id", "environment", "lead_id", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_opportunity_id_id_idx" ON "task"("tenant_id", "environment", "opportunity_id", "id");

-- AddForeignKey
ALTER TABLE "opportunity" ADD CONSTRAINT "opportunity_tenant_id_environment_stage_id_fkey" FOREIGN KEY ("tenant_id", "environment", "stage_id") REFERENCES "status_definition"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "status_definition" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "status_definition" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "status_definition" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "opportunity" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "opportunity" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "opportunity" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "task" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "task" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "task" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- One status that new leads, and one stage that new opportunities start with.
CREATE UNIQUE INDEX "status_definition_default" ON "status_definition" ("tenant_id", "environment", "entity_type") WHERE "is_default";
