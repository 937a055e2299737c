-- CreateTable
CREATE TABLE "usage_hour" (
    "owner_tenant_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "gateway" TEXT NOT NULL,
    "key_id" BIGINT NOT NULL,
    "operation" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "calls" BIGINT NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("owner_tenant_id","hour","gateway","key_id","operation","user_id")
);

-- CreateIndex
CREATE INDEX "usage_hour_hour_idx" ON "usage_hour"("hour");

-- Gateways report the calls of all tenants together, before a tenant is known. Rows are removed after 90 days.
ALTER TABLE "usage_hour" ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON "usage_hour" TO "tandem_identity_app" USING (true);
GRANT SELECT ("hour"), DELETE ON "usage_hour" TO "tandem_identity_relay";
CREATE POLICY purge ON "usage_hour" TO "tandem_identity_relay" USING ("hour" < now() - interval '90 days');
