-- AlterTable
ALTER TABLE "form_submission" ADD COLUMN     "landing_page_id" BIGINT;

-- AlterTable
ALTER TABLE "template" ADD COLUMN     "blocks" JSONB;

-- AlterTable
ALTER TABLE "template_version" ADD COLUMN     "blocks" JSONB;

-- AlterTable
ALTER TABLE "workflow_version" ADD COLUMN     "template_versions" JSONB NOT NULL DEFAULT '{}';
