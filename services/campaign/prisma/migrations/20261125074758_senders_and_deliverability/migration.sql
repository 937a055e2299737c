-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "auto_paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "sender_id" BIGINT;

-- CreateTable
CREATE TABLE "sending_domain" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "domain" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "token" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "private_key" TEXT NOT NULL,
    "seal_ref" UUID NOT NULL,
    "checks" JSONB NOT NULL DEFAULT '[]',
    "checked_at" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sending_domain_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "sender" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "domain_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "from_email" TEXT NOT NULL,
    "reply_to" TEXT,
    "daily_cap" INTEGER,
    "warmup_plan" JSONB,
    "warmup_from" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sender_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "sender_count" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "sender_id" BIGINT NOT NULL,
    "day" TIMESTAMPTZ(3) NOT NULL,
    "messages" INTEGER NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "sender_count_pkey" PRIMARY KEY ("tenant_id","environment","sender_id","day")
);

-- CreateTable
CREATE TABLE "domain_pace" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "domain" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "messages" INTEGER NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "domain_pace_pkey" PRIMARY KEY ("tenant_id","environment","domain","minute")
);

-- CreateTable
CREATE TABLE "soft_bounce" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "digest" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "soft_bounce_pkey" PRIMARY KEY ("tenant_id","environment","digest","source_id")
);

-- CreateTable
CREATE TABLE "sms_recipient_lookup" (
    "digest" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,
    "owner_environment" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sms_recipient_lookup_pkey" PRIMARY KEY ("digest","owner_tenant_id","owner_environment")
);

-- CreateIndex
CREATE INDEX "sending_domain_tenant_id_environment_created_at_id_idx" ON "sending_domain"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "sending_domain_tenant_id_environment_domain_id_idx" ON "sending_domain"("tenant_id", "environment", "domain", "id");

-- CreateIndex
CREATE INDEX "sending_domain_tenant_id_environment_status_created_at_id_idx" ON "sending_domain"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "sending_domain_tenant_id_environment_domain_key" ON "sending_domain"("tenant_id", "environment", "domain");

-- CreateIndex
CREATE INDEX "sender_tenant_id_environment_created_at_id_idx" ON "sender"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "sender_tenant_id_environment_name_id_idx" ON "sender"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "sender_tenant_id_environment_domain_id_created_at_id_idx" ON "sender"("tenant_id", "environment", "domain_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "sender_tenant_id_environment_from_email_key" ON "sender"("tenant_id", "environment", "from_email");

-- CreateIndex
CREATE INDEX "sender_count_day_idx" ON "sender_count"("day");

-- CreateIndex
CREATE INDEX "domain_pace_minute_idx" ON "domain_pace"("minute");

-- CreateIndex
CREATE INDEX "soft_bounce_at_idx" ON "soft_bounce"("at");

-- CreateIndex
CREATE INDEX "sms_recipient_lookup_seen_at_idx" ON "sms_recipient_lookup"("seen_at");

-- AddForeignKey
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_tenant_id_environment_sender_id_fkey" FOREIGN KEY ("tenant_id", "environment", "sender_id") REFERENCES "sender"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "sender" ADD CONSTRAINT "sender_tenant_id_environment_domain_id_fkey" FOREIGN KEY ("tenant_id", "environment", "domain_id") REFERENCES "sending_domain"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sender_count" ADD CONSTRAINT "sender_count_tenant_id_environment_sender_id_fkey" FOREIGN KEY ("tenant_id", "environment", "sender_id") REFERENCES "sender"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "sending_domain" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sending_domain" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sending_domain" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "sender" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sender" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sender" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "sender_count" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sender_count" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sender_count" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "domain_pace" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "domain_pace" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "domain_pace" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "soft_bounce" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "soft_bounce" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "soft_bounce" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- When the encryption key changes, a background task seals the keys of all tenants again, under the relay role.
GRANT SELECT ("seal_ref", "private_key"), UPDATE ("private_key") ON "sending_domain" TO "tandem_campaign_relay";
CREATE POLICY reseal ON "sending_domain" TO "tandem_campaign_relay" USING (true);

-- Retention. The role of housekeeping sees only rows that are due.
GRANT SELECT ("day"), DELETE ON "sender_count" TO "tandem_campaign_relay";
CREATE POLICY purge ON "sender_count" TO "tandem_campaign_relay" USING ("day" < now() - interval '30 days');
GRANT SELECT ("minute"), DELETE ON "domain_pace" TO "tandem_campaign_relay";
CREATE POLICY purge ON "domain_pace" TO "tandem_campaign_relay" USING ("minute" < now() - interval '1 day');
GRANT SELECT ("at"), DELETE ON "soft_bounce" TO "tandem_campaign_relay";
CREATE POLICY purge ON "soft_bounce" TO "tandem_campaign_relay" USING ("at" < now() - interval '7 days');
GRANT SELECT ("seen_at"), DELETE ON "sms_recipient_lookup" TO "tandem_campaign_relay";
