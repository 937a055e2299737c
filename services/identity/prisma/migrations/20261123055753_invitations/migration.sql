-- CreateTable
CREATE TABLE "invitation" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "role_id" BIGINT NOT NULL,
    "team_ids" JSONB NOT NULL DEFAULT '[]',
    "invited_by" BIGINT NOT NULL,
    "accepted_user_id" BIGINT,
    "hash" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "invitation_tenant_id_created_at_id_idx" ON "invitation"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "invitation_tenant_id_status_created_at_id_idx" ON "invitation"("tenant_id", "status", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_tenant_id_hash_key" ON "invitation"("tenant_id", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_pending" ON "invitation"("tenant_id", "email") WHERE (status = 'pending');

ALTER TABLE "invitation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "invitation" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "invitation" USING (tenant_id = platform.tenant_id());
