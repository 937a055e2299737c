-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "team_id" BIGINT;

-- AlterTable
ALTER TABLE "landing_page" ADD COLUMN     "team_id" BIGINT;

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "team_id" BIGINT;
