-- CreateTable
CREATE TABLE "signature_request" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "file_id" BIGINT NOT NULL,
    "version_id" BIGINT NOT NULL,
    "document_sha256" TEXT NOT NULL,
    "page_count" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "message" TEXT,
    "signing_order" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "reminder_every_days" INTEGER,
    "redirect_url" TEXT,
    "provider" TEXT NOT NULL DEFAULT 'builtin',
    "provider_ref" TEXT,
    "sender_name" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "all_signed_at" TIMESTAMPTZ(3),
    "completed_version_id" BIGINT,
    "completed_sha256" TEXT,
    "cancel_reason" TEXT,
    "problem" TEXT,
    "created_by" BIGINT,
    "sent_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signature_request_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "signer" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "request_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "sign_order" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "token_hashes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "reminded_at" TIMESTAMPTZ(3),
    "viewed_at" TIMESTAMPTZ(3),
    "signed_at" TIMESTAMPTZ(3),
    "declined_at" TIMESTAMPTZ(3),
    "decline_reason" TEXT,
    "ip" TEXT,
    "user_agent" TEXT,
    "consent_text" TEXT,
    "seal_ref" TEXT NOT NULL DEFAULT gen_random_uuid()::text,
    "signature" TEXT,

    CONSTRAINT "signer_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "signature_field" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "request_id" BIGINT NOT NULL,
    "signer_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "page" INTEGER NOT NULL,
    "x" DOUBLE PRECISION NOT NULL,
    "y" DOUBLE PRECISION NOT NULL,
    "width" DOUBLE PRECISION NOT NULL,
    "height" DOUBLE PRECISION NOT NULL,
    "required" BOOLEAN NOT NULL,
    "label" TEXT,

    CONSTRAINT "signature_field_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "signature_event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "request_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "signer_id" BIGINT,
    "user_id" BIGINT,
    "ip" TEXT,
    "user_agent" TEXT,
    "salt" TEXT,
    "person_hash" TEXT NOT NULL,
    "document_sha256" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "signature_event_pkey" PRIMARY KEY ("tenant_id","environment","request_id","number")
);

-- CreateTable
CREATE TABLE "signature_webhook" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "provider" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signature_webhook_pkey" PRIMARY KEY ("tenant_id","environment","provider","digest")
);

-- CreateIndex
CREATE INDEX "signature_request_tenant_id_environment_file_id_created_at__idx" ON "signature_request"("tenant_id", "environment", "file_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "signature_request_tenant_id_environment_file_id_status_crea_idx" ON "signature_request"("tenant_id", "environment", "file_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "signature_request_tenant_id_environment_completed_sha256_idx" ON "signature_request"("tenant_id", "environment", "completed_sha256");

-- CreateIndex
CREATE INDEX "signer_tenant_id_environment_request_id_position_idx" ON "signer"("tenant_id", "environment", "request_id", "position");

-- CreateIndex
CREATE INDEX "signer_tenant_id_environment_email_idx" ON "signer"("tenant_id", "environment", "email");

-- CreateIndex
CREATE INDEX "signature_field_tenant_id_environment_request_id_id_idx" ON "signature_field"("tenant_id", "environment", "request_id", "id");

-- CreateIndex
CREATE INDEX "signature_field_tenant_id_environment_signer_id_id_idx" ON "signature_field"("tenant_id", "environment", "signer_id", "id");

-- CreateIndex
CREATE INDEX "signature_event_tenant_id_environment_signer_id_idx" ON "signature_event"("tenant_id", "environment", "signer_id");

-- CreateIndex
CREATE INDEX "signature_webhook_received_at_idx" ON "signature_webhook"("received_at");

-- AddForeignKey
ALTER TABLE "signature_request" ADD CONSTRAINT "signature_request_tenant_id_environment_file_id_fkey" FOREIGN KEY ("tenant_id", "environment", "file_id") REFERENCES "file"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signer" ADD CONSTRAINT "signer_tenant_id_environment_request_id_fkey" FOREIGN KEY ("tenant_id", "environment", "request_id") REFERENCES "signature_request"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signature_field" ADD CONSTRAINT "signature_field_tenant_id_environment_request_id_fkey" FOREIGN KEY ("tenant_id", "environment", "request_id") REFERENCES "signature_request"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signature_field" ADD CONSTRAINT "signature_field_tenant_id_environment_signer_id_fkey" FOREIGN KEY ("tenant_id", "environment", "signer_id") REFERENCES "signer"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signature_event" ADD CONSTRAINT "signature_event_tenant_id_environment_request_id_fkey" FOREIGN KEY ("tenant_id", "environment", "request_id") REFERENCES "signature_request"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "signature_request" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "signature_request" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "signature_request" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "signer" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "signer" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "signer" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "signature_field" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "signature_field" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "signature_field" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "signature_event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "signature_event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "signature_event" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "signature_webhook" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "signature_webhook" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "signature_webhook" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Re-encryption of the signatures, and the purge of handled events of providers.
GRANT SELECT ("seal_ref", "signature"), UPDATE ("signature") ON "signer" TO "tandem_files_relay";
CREATE POLICY reseal ON "signer" TO "tandem_files_relay" USING (true);
GRANT SELECT ("received_at"), DELETE ON "signature_webhook" TO "tandem_files_relay";
CREATE POLICY purge ON "signature_webhook" TO "tandem_files_relay" USING ("received_at" < now() - interval '60 days');
