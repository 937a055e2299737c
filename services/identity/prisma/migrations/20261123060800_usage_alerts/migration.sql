-- CreateTable
CREATE TABLE "usage_watch" (
    "owner_tenant_id" BIGINT NOT NULL,
    "levels" BIGINT[],
    "handled_month" TEXT NOT NULL,
    "handled_level" BIGINT NOT NULL,

    CONSTRAINT "usage_watch_pkey" PRIMARY KEY ("owner_tenant_id")
);

-- CreateTable
CREATE TABLE "usage_alert" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "thresholds" INTEGER[],
    "channels" TEXT[],
    "user_ids" BIGINT[],
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_alert_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "usage_alert_sent" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "month" TEXT NOT NULL,
    "threshold" INTEGER NOT NULL,
    "calls_limit" INTEGER NOT NULL,

    CONSTRAINT "usage_alert_sent_pkey" PRIMARY KEY ("tenant_id","month","threshold","calls_limit")
);

ALTER TABLE "usage_alert" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "usage_alert" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "usage_alert" USING (tenant_id = platform.tenant_id());
ALTER TABLE "usage_alert_sent" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "usage_alert_sent" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "usage_alert_sent" USING (tenant_id = platform.tenant_id());
