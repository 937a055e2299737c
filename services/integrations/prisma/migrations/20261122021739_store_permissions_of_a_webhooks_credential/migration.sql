-- AlterTable
ALTER TABLE "webhook" ADD COLUMN     "authorized_permissions" JSONB;
