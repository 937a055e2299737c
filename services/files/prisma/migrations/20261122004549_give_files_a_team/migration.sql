-- AlterTable
ALTER TABLE "file" ADD COLUMN     "team_id" BIGINT;

-- CreateIndex
CREATE INDEX "file_tenant_id_environment_team_id_created_at_id_idx" ON "file"("tenant_id", "environment", "team_id", "created_at", "id");
