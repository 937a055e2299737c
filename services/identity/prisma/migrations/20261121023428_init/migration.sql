-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "tenant_directory" (
    "id" BIGSERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_directory_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_lookup" (
    "hash" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,
    "key_id" BIGINT NOT NULL,

    CONSTRAINT "key_lookup_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "email_lookup" (
    "email_hash" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,

    CONSTRAINT "email_lookup_pkey" PRIMARY KEY ("email_hash","owner_tenant_id")
);

-- CreateTable
CREATE TABLE "refresh_lookup" (
    "hash" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refresh_lookup_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "usage_month" (
    "owner_tenant_id" BIGINT NOT NULL,
    "month" TEXT NOT NULL,
    "calls" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "usage_month_pkey" PRIMARY KEY ("owner_tenant_id","month")
);

-- CreateTable
CREATE TABLE "usage_batch" (
    "gateway" TEXT NOT NULL,
    "batch" BIGINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_batch_pkey" PRIMARY KEY ("gateway")
);

-- CreateTable
CREATE TABLE "tenant" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "plan" TEXT NOT NULL DEFAULT 'free',
    "status" TEXT NOT NULL DEFAULT 'active',
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "locale" TEXT NOT NULL DEFAULT 'en',
    "currency" TEXT NOT NULL DEFAULT 'USD',
    "monthly_calls" INTEGER,
    "rate_per_minute" INTEGER,
    "burst" INTEGER,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "role" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "permissions" TEXT[],
    "is_system" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "role_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "user" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "phone" TEXT,
    "password_hash" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "role_id" BIGINT NOT NULL,
    "last_login_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "key_environment" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "permissions" TEXT[],
    "allowed_ips" TEXT[],
    "created_by" BIGINT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "rotated_from" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "session" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "ip" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,

    CONSTRAINT "session_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "refresh_token" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "hash" TEXT NOT NULL,
    "session_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "refresh_token_pkey" PRIMARY KEY ("tenant_id","hash")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "position" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" BIGINT,
    "actor_name" TEXT,
    "on_behalf_of_id" BIGINT,
    "key_id" BIGINT,
    "target_type" TEXT NOT NULL,
    "target_id" BIGINT NOT NULL,
    "changes" JSONB,
    "ip" TEXT,
    "user_agent" TEXT,
    "request_id" TEXT NOT NULL,
    "record_environment" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "audit_head" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "entries" BIGINT NOT NULL DEFAULT 0,
    "hash" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_directory_slug_key" ON "tenant_directory"("slug");

-- CreateIndex
CREATE INDEX "refresh_lookup_expires_at_idx" ON "refresh_lookup"("expires_at");

-- CreateIndex
CREATE INDEX "role_tenant_id_created_at_id_idx" ON "role"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "role_tenant_id_name_key" ON "role"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "user_tenant_id_created_at_id_idx" ON "user"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "user_tenant_id_role_id_idx" ON "user"("tenant_id", "role_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_tenant_id_email_key" ON "user"("tenant_id", "email");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_created_at_id_idx" ON "api_key"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "session_tenant_id_user_id_idx" ON "session"("tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "session_tenant_id_expires_at_idx" ON "session"("tenant_id", "expires_at");

-- CreateIndex
CREATE INDEX "refresh_token_tenant_id_session_id_idx" ON "refresh_token"("tenant_id", "session_id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_occurred_at_id_idx" ON "audit_log"("tenant_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_target_type_target_id_idx" ON "audit_log"("tenant_id", "target_type", "target_id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_actor_id_idx" ON "audit_log"("tenant_id", "actor_id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_log_tenant_id_position_key" ON "audit_log"("tenant_id", "position");

-- AddForeignKey
ALTER TABLE "role" ADD CONSTRAINT "role_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("tenant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("tenant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_tenant_id_role_id_fkey" FOREIGN KEY ("tenant_id", "role_id") REFERENCES "role"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("tenant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_created_by_fkey" FOREIGN KEY ("tenant_id", "created_by") REFERENCES "user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("tenant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_token" ADD CONSTRAINT "refresh_token_tenant_id_session_id_fkey" FOREIGN KEY ("tenant_id", "session_id") REFERENCES "session"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "tenant" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tenant" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "tenant" USING (tenant_id = platform.tenant_id());

ALTER TABLE "role" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "role" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "role" USING (tenant_id = platform.tenant_id());

ALTER TABLE "user" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "user" USING (tenant_id = platform.tenant_id());

ALTER TABLE "api_key" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "api_key" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "api_key" USING (tenant_id = platform.tenant_id());

ALTER TABLE "session" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "session" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "session" USING (tenant_id = platform.tenant_id());

ALTER TABLE "refresh_token" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "refresh_token" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "refresh_token" USING (tenant_id = platform.tenant_id());

ALTER TABLE "audit_log" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_log" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "audit_log" USING (tenant_id = platform.tenant_id());

ALTER TABLE "audit_head" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_head" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "audit_head" USING (tenant_id = platform.tenant_id());

-- The audit log only grows: the service itself cannot change or remove what stands in it.
REVOKE UPDATE, DELETE, TRUNCATE ON "audit_log" FROM "tandem_identity_app";
REVOKE DELETE, TRUNCATE ON "audit_head" FROM "tandem_identity_app";
