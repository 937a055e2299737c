-- AlterTable
ALTER TABLE "user" ADD COLUMN     "manager_id" BIGINT;
