-- CreateTable
CREATE TABLE "usage_gateway" (
    "owner_tenant_id" BIGINT NOT NULL,
    "month" TEXT NOT NULL,
    "gateway" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "added" BIGINT NOT NULL,

    CONSTRAINT "usage_gateway_pkey" PRIMARY KEY ("owner_tenant_id","month","gateway")
);

-- CreateIndex
CREATE INDEX "usage_gateway_month_idx" ON "usage_gateway"("month");

-- Housekeeping folds a month into usage_month a week after its end. The role it works under sees no younger month.
ALTER TABLE "usage_gateway" ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON "usage_gateway" TO "tandem_identity_app" USING (true);
GRANT SELECT, DELETE ON "usage_gateway" TO "tandem_identity_relay";
CREATE POLICY purge ON "usage_gateway" TO "tandem_identity_relay"
    USING ("month" < to_char((now() AT TIME ZONE 'UTC') - interval '7 days', 'YYYY-MM'));
GRANT SELECT, INSERT, UPDATE ("calls") ON "usage_month" TO "tandem_identity_relay";
