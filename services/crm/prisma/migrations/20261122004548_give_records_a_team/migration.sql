-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "team_id" BIGINT;

-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "team_id" BIGINT;

-- AlterTable
ALTER TABLE "task" ADD COLUMN     "team_id" BIGINT;

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_team_id_created_at_id_idx" ON "lead"("tenant_id", "environment", "team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_tenant_id_environment_team_id_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "task_tenant_id_environment_team_id_created_at_id_idx" ON "task"("tenant_id", "environment", "team_id", "created_at", "id");
