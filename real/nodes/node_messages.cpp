// Archives the messages of master and nodes.
#include "real/nodes/node_messages.hpp"

#include "shared_policies/records/archive.hpp"

namespace equipoise {

std::string archived(const MessageToNode& message) { return archive_of(message); }
std::string archived(const MessageFromNode& message) { return archive_of(message); }
MessageToNode read_message_to_node(std::string_view bytes) {
  return read_archive<MessageToNode>(bytes);
}
MessageFromNode read_message_from_node(std::string_view bytes) {
  return read_archive<MessageFromNode>(bytes);
}

}  // namespace equipoise
