-- AlterTable
ALTER TABLE "landing_page" ADD COLUMN     "form_id" BIGINT,
ADD COLUMN     "has_unpublished_changes" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "publish_at" TIMESTAMPTZ(3),
ADD COLUMN     "published_at" TIMESTAMPTZ(3),
ADD COLUMN     "published_version" INTEGER;

-- CreateTable
CREATE TABLE "landing_page_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "landing_page_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "sections" JSONB NOT NULL,
    "seo" JSONB NOT NULL,
    "style" JSONB NOT NULL,
    "content" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "form_id" BIGINT,
    "campaign_id" BIGINT,
    "published_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "landing_page_version_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "form" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "fields" JSONB NOT NULL,
    "consent_text" TEXT,
    "double_opt_in" BOOLEAN NOT NULL DEFAULT false,
    "redirect_url" TEXT,
    "notify_user_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "published_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "form_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "form_submission" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "form_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "fields" JSONB NOT NULL,
    "email" TEXT NOT NULL,
    "utm" JSONB NOT NULL DEFAULT '{}',
    "consent" BOOLEAN NOT NULL DEFAULT false,
    "consent_text" TEXT,
    "referral_code" TEXT,
    "address_digest" TEXT NOT NULL,
    "lead_id" BIGINT,
    "discardable_since" TIMESTAMPTZ(3),
    "confirmed_at" TIMESTAMPTZ(3),
    "processed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "form_submission_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "landing_page_version_tenant_id_environment_landing_page_id__idx" ON "landing_page_version"("tenant_id", "environment", "landing_page_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "landing_page_version_tenant_id_environment_landing_page_id__key" ON "landing_page_version"("tenant_id", "environment", "landing_page_id", "number");

-- CreateIndex
CREATE INDEX "form_tenant_id_environment_created_at_id_idx" ON "form"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_tenant_id_environment_updated_at_id_idx" ON "form"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "form_tenant_id_environment_name_id_idx" ON "form"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "form_tenant_id_environment_status_created_at_id_idx" ON "form"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_form_id_created_at_id_idx" ON "form_submission"("tenant_id", "environment", "form_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_form_id_status_create_idx" ON "form_submission"("tenant_id", "environment", "form_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_form_id_lead_id_creat_idx" ON "form_submission"("tenant_id", "environment", "form_id", "lead_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_lead_id_idx" ON "form_submission"("tenant_id", "environment", "lead_id");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_address_digest_create_idx" ON "form_submission"("tenant_id", "environment", "address_digest", "created_at");

-- CreateIndex
CREATE INDEX "form_submission_tenant_id_environment_email_created_at_idx" ON "form_submission"("tenant_id", "environment", "email", "created_at");

-- CreateIndex
CREATE INDEX "form_submission_discardable_since_idx" ON "form_submission"("discardable_since");

-- AddForeignKey
ALTER TABLE "landing_page_version" ADD CONSTRAINT "landing_page_version_tenant_id_environment_landing_page_id_fkey" FOREIGN KEY ("tenant_id", "environment", "landing_page_id") REFERENCES "landing_page"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_submission" ADD CONSTRAINT "form_submission_tenant_id_environment_form_id_fkey" FOREIGN KEY ("tenant_id", "environment", "form_id") REFERENCES "form"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "landing_page_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "landing_page_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "landing_page_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "form" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "form" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "form" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "form_submission" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "form_submission" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "form_submission" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Spam and submissions that nobody confirmed are kept for 30 days. The role of housekeeping sees only older ones.
GRANT SELECT ("discardable_since"), DELETE ON "form_submission" TO "tandem_campaign_relay";
CREATE POLICY purge ON "form_submission" TO "tandem_campaign_relay" USING ("discardable_since" < now() - interval '30 days');
