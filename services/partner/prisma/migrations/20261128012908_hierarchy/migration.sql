-- CreateTable
CREATE TABLE "parent_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "partner_id" BIGINT NOT NULL,
    "from_parent_id" BIGINT,
    "to_parent_id" BIGINT,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'applied',
    "reason" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "parent_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "parent_change_tenant_id_environment_partner_id_created_at_i_idx" ON "parent_change"("tenant_id", "environment", "partner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "parent_change_tenant_id_environment_partner_id_effective_at_idx" ON "parent_change"("tenant_id", "environment", "partner_id", "effective_at", "id");

-- CreateIndex
CREATE INDEX "parent_change_tenant_id_environment_partner_id_status_effec_idx" ON "parent_change"("tenant_id", "environment", "partner_id", "status", "effective_at", "id");

-- AddForeignKey
ALTER TABLE "parent_change" ADD CONSTRAINT "parent_change_tenant_id_environment_partner_id_fkey" FOREIGN KEY ("tenant_id", "environment", "partner_id") REFERENCES "partner"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "parent_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "parent_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "parent_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "parent_change" ADD CONSTRAINT "parent_change_not_itself" CHECK ("to_parent_id" <> "partner_id");
-- The history of parents is appended to, and a scheduled change is decided.
REVOKE UPDATE, TRUNCATE ON "parent_change" FROM "tandem_partner_app";
GRANT UPDATE ("status", "reason") ON "parent_change" TO "tandem_partner_app";
