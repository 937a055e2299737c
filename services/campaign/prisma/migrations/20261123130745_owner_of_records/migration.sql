-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "owner_id" BIGINT;

-- AlterTable
ALTER TABLE "landing_page" ADD COLUMN     "owner_id" BIGINT;

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "owner_id" BIGINT;
