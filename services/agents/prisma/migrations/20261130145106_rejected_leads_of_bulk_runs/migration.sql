-- CreateTable
CREATE TABLE "bulk_run_rejection" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "bulk_run_id" BIGINT NOT NULL,
    "requested_id" TEXT,
    "lead_id" BIGINT,
    "merged_from_lead_id" BIGINT,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bulk_run_rejection_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "bulk_run_rejection_tenant_id_environment_bulk_run_id_create_idx" ON "bulk_run_rejection"("tenant_id", "environment", "bulk_run_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "bulk_run_rejection_tenant_id_environment_lead_id_idx" ON "bulk_run_rejection"("tenant_id", "environment", "lead_id");

-- AddForeignKey
ALTER TABLE "bulk_run_rejection" ADD CONSTRAINT "bulk_run_rejection_tenant_id_environment_bulk_run_id_fkey" FOREIGN KEY ("tenant_id", "environment", "bulk_run_id") REFERENCES "bulk_run"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "bulk_run_rejection" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "bulk_run_rejection" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "bulk_run_rejection" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- What Prisma's schema cannot say: rows that were moved by a merge, and the trigger that places new rows.
CREATE INDEX "bulk_run_rejection_merged_from" ON "bulk_run_rejection" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
CREATE TRIGGER "bulk_run_rejection_of_merged_lead" BEFORE INSERT ON "bulk_run_rejection" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();
