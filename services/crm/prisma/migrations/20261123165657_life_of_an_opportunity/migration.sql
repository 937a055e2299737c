-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "custom_fields" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "probability_overridden" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notes" TEXT,
ADD COLUMN     "partner_id" BIGINT;

-- CreateTable
CREATE TABLE "stage_entry" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "opportunity_id" BIGINT NOT NULL,
    "stage" TEXT NOT NULL,
    "stage_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "left_at" TIMESTAMPTZ(3),
    "by_user_id" BIGINT,
    "reason" TEXT,

    CONSTRAINT "stage_entry_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "stage_entry_tenant_id_environment_opportunity_id_entered_at_idx" ON "stage_entry"("tenant_id", "environment", "opportunity_id", "entered_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "stage_entry_current" ON "stage_entry"("tenant_id", "environment", "opportunity_id") WHERE (left_at IS NULL);

-- AddForeignKey
ALTER TABLE "stage_entry" ADD CONSTRAINT "stage_entry_tenant_id_environment_opportunity_id_fkey" FOREIGN KEY ("tenant_id", "environment", "opportunity_id") REFERENCES "opportunity"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "stage_entry" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "stage_entry" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "stage_entry" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- What no release writes.
ALTER TABLE "stage_entry"
  ADD CONSTRAINT "stage_entry_status" CHECK ("status" IN ('open', 'won', 'lost')),
  ADD CONSTRAINT "stage_entry_left" CHECK ("left_at" >= "entered_at");

-- A deleted opportunity can be restored for 30 days. Then housekeeping removes it with its history.
GRANT SELECT ("deleted_at"), DELETE ON "opportunity" TO "tandem_crm_relay";
CREATE POLICY purge ON "opportunity" TO "tandem_crm_relay" USING ("deleted_at" < now() - interval '30 days');
