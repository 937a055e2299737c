-- CreateTable
CREATE TABLE "team" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "team_member" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "team_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_member_pkey" PRIMARY KEY ("tenant_id","team_id","user_id")
);

-- CreateIndex
CREATE INDEX "team_tenant_id_created_at_id_idx" ON "team"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "team_tenant_id_name_key" ON "team"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "team_member_tenant_id_user_id_idx" ON "team_member"("tenant_id", "user_id");

-- AddForeignKey
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_tenant_id_team_id_fkey" FOREIGN KEY ("tenant_id", "team_id") REFERENCES "team"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "team" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "team" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "team" USING (tenant_id = platform.tenant_id());

ALTER TABLE "team_member" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "team_member" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "team_member" USING (tenant_id = platform.tenant_id());
