-- AlterTable
ALTER TABLE "team" ADD COLUMN     "lead_id" BIGINT,
ADD COLUMN     "parent_team_id" BIGINT;

-- AddForeignKey
ALTER TABLE "team" ADD CONSTRAINT "team_tenant_id_parent_team_id_fkey" FOREIGN KEY ("tenant_id", "parent_team_id") REFERENCES "team"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
