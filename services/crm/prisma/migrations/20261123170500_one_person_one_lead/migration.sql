-- AlterTable
ALTER TABLE "duplicate_pair" ADD COLUMN     "decided_at" TIMESTAMPTZ(3),
ADD COLUMN     "decided_by" BIGINT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "consent" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "external_key" TEXT,
ADD COLUMN     "merged_into_id" BIGINT,
ADD COLUMN     "name_domain" TEXT,
ADD COLUMN     "name_initial" TEXT,
ADD COLUMN     "name_sorted" TEXT,
ADD COLUMN     "name_sound" TEXT,
ADD COLUMN     "partner_id" BIGINT,
ADD COLUMN     "phone_key" TEXT,
ADD COLUMN     "timezone" TEXT;

-- CreateTable
CREATE TABLE "lead_merge" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "survivor_id" BIGINT NOT NULL,
    "merged_ids" BIGINT[],
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "lead_merge_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "lead_merge_move" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "merge_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "from_lead_id" BIGINT NOT NULL,

    CONSTRAINT "lead_merge_move_pkey" PRIMARY KEY ("tenant_id","environment","merge_id","kind","record_id")
);

-- CreateIndex
CREATE INDEX "lead_merge_tenant_id_environment_survivor_id_idx" ON "lead_merge"("tenant_id", "environment", "survivor_id");

-- CreateIndex
CREATE INDEX "lead_merge_created_at_idx" ON "lead_merge"("created_at");

-- AddForeignKey
ALTER TABLE "lead_merge" ADD CONSTRAINT "lead_merge_tenant_id_environment_survivor_id_fkey" FOREIGN KEY ("tenant_id", "environment", "survivor_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lead_merge_move" ADD CONSTRAINT "lead_merge_move_tenant_id_environment_merge_id_fkey" FOREIGN KEY ("tenant_id", "environment", "merge_id") REFERENCES "lead_merge"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "lead_merge" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_merge" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_merge" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lead_merge_move" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_merge_move" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_merge_move" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Housekeeping removes merges that can no longer be undone, with the personal data in them.
GRANT SELECT ("created_at"), DELETE ON "lead_merge" TO "tandem_crm_relay";
CREATE POLICY purge ON "lead_merge" TO "tandem_crm_relay" USING ("created_at" < now() - interval '31 days');
