-- CreateTable
CREATE TABLE "refused_call" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "caller_type" TEXT NOT NULL,
    "caller_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "recorded" UUID[],

    CONSTRAINT "refused_call_pkey" PRIMARY KEY ("tenant_id","caller_type","caller_id")
);

-- CreateIndex
CREATE INDEX "refused_call_hour_idx" ON "refused_call"("hour");

ALTER TABLE "refused_call" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "refused_call" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "refused_call" USING (tenant_id = platform.tenant_id());

-- The relay's role deletes rows that are a day old, and sees no others.
GRANT SELECT ("hour"), DELETE ON "refused_call" TO "tandem_identity_relay";
CREATE POLICY purge ON "refused_call" TO "tandem_identity_relay" USING ("hour" < now() - interval '1 days');
