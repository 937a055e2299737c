-- CreateTable
CREATE TABLE "cohort_definition" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "description" TEXT,
    "filter" JSONB NOT NULL,
    "is_static" BOOLEAN NOT NULL,
    "status" TEXT NOT NULL,
    "member_count" INTEGER,
    "counted_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cohort_definition_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "cohort_member" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "cohort_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "merged_from_lead_id" BIGINT,

    CONSTRAINT "cohort_member_pkey" PRIMARY KEY ("tenant_id","environment","cohort_id","lead_id")
);

-- CreateIndex
CREATE INDEX "cohort_definition_tenant_id_environment_created_at_id_idx" ON "cohort_definition"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "cohort_definition_tenant_id_environment_name_id_idx" ON "cohort_definition"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "cohort_definition_tenant_id_environment_name_key_key" ON "cohort_definition"("tenant_id", "environment", "name_key");

-- CreateIndex
CREATE INDEX "cohort_member_tenant_id_environment_lead_id_idx" ON "cohort_member"("tenant_id", "environment", "lead_id");

-- CreateIndex
CREATE INDEX "cohort_member_tenant_id_environment_merged_from_lead_id_idx" ON "cohort_member"("tenant_id", "environment", "merged_from_lead_id");

ALTER TABLE "cohort_definition" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "cohort_definition" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "cohort_definition" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "cohort_member" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "cohort_member" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "cohort_member" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- A lead that was merged meanwhile is stored as the lead that remains.
CREATE TRIGGER "cohort_member_of_merged_lead" BEFORE INSERT ON "cohort_member" FOR EACH ROW
  EXECUTE FUNCTION platform.follow_merged_lead();
