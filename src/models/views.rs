//! Library types that view or own memory: a pointer, and integers that give the number of elements behind it.
//!
//! In: the name of a type as debug information has it. Out: how the integers of an object, in layout order, give the
//! number of elements; `None` for other types. Sources: C++20 [span.overview], C++23 [mdspan.mdspan.overview] and
//! [mdspan.layout], CCCL 3.0 (`cuda/std/span`, `cuda/std/__mdspan`, `thrust/detail/vector_base.h`), libstdc++ 12
//! (`span`).

/// Element type, dimensions and layout of a view type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Template name, for messages.
    pub name: &'static str,
    /// Element type, without qualifiers.
    pub element: String,
    /// Index type, for types that guarantee that the product of the sides fits into it.
    pub index: Option<String>,
    /// Number of elements along each dimension; their product is the total.
    pub sides: Vec<DimensionSize>,
    pub layout: ElementLayout,
}

/// Number of elements along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionSize {
    Fixed(u64),
    /// Stored as the object's next integer.
    Given,
}

/// Layout of the elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementLayout {
    Dense,
    /// An integer for each dimension, after those of the sides, is the stride along it.
    Strided,
    /// Dense; the integer after the sides, at most the total, is the number of elements in use.
    Reserved,
}

/// Template argument that stands for an extent stored in the object.
const DYNAMIC: u64 = u64::MAX;

/// Returns the view that a type is.
pub fn view(type_name: &str) -> Option<View> {
    let (template, arguments) = instance(type_name)?;
    let of = |name, element: &str, sides, layout| {
        let element = element.trim_start_matches("const ").trim_start_matches("volatile ").trim().to_owned();
        Some(View { name, element, index: None, sides, layout })
    };
    match (template.as_str(), arguments.as_slice()) {
        ("std::span", [element, count]) => of("std::span", element, vec![side(count)?], ElementLayout::Dense),
        ("cuda::std::span", [element, count]) => {
            of("cuda::std::span", element, vec![side(count)?], ElementLayout::Dense)
        }
        ("thrust::device_vector", [element, ..]) => {
            of("thrust::device_vector", element, vec![DimensionSize::Given], ElementLayout::Reserved)
        }
        ("cuda::std::mdspan", [element, extents, layout, accessor]) => {
            let (extents, sides) = instance(extents)?;
            let (accessor, _) = instance(accessor)?;
            if extents != "cuda::std::extents" || accessor != "cuda::std::default_accessor" {
                return None;
            }
            let (index, sides) = sides.split_first()?;
            let layout = match without_versions(layout).as_str() {
                "cuda::std::layout_right" | "cuda::std::layout_left" => ElementLayout::Dense,
                "cuda::std::layout_stride" => ElementLayout::Strided,
                _ => return None,
            };
            let sides = sides.iter().map(|s| side(s)).collect::<Option<Vec<_>>>()?;
            let view = of("cuda::std::mdspan", element, sides, layout)?;
            Some(View { index: Some(index.clone()), ..view })
        }
        _ => None,
    }
}

/// Whether a type, or what it refers to, is a `std::string`, spelled as in the source or in the library.
pub fn is_text(type_name: &str) -> bool {
    let name = type_name.trim().trim_start_matches("const ").trim_end_matches('&').trim_end().replace("__cxx11::", "");
    let of_char = ["std::basic_string<char>", "std::basic_string<char, "].iter().any(|start| name.starts_with(start));
    name == "std::string" || of_char && name.ends_with('>')
}

/// Returns the element type of a container that has three pointers (libstdc++ 12, libc++ 17): to its first element,
/// past its last one, and past its storage. `None` for other types, among them `std::vector<bool>`.
pub fn container(type_name: &str) -> Option<String> {
    let (template, arguments) = instance(type_name)?;
    match (template.as_str(), arguments.as_slice()) {
        ("std::vector", [element, ..]) if element != "bool" => Some(element.clone()),
        _ => None,
    }
}

/// Returns the element type of a list that a type is: a pointer to its first element is first, and what gives its length
/// follows (`c10::ArrayRef`; the pointers of `std::vector`).
pub fn list(type_name: &str) -> Option<String> {
    let (template, arguments) = instance(type_name)?;
    match (template.as_str(), arguments.as_slice()) {
        ("c10::ArrayRef", [element]) => Some(element.clone()),
        _ => container(type_name),
    }
}

/// Members of a container's base class through which the path to its pointers leads.
pub const WITHIN_CONTAINERS: [&str; 2] = ["_M_impl", "__begin_"];

/// Parses an extent; `18446744073709551615UL` stands for one unknown at compile time.
fn side(text: &str) -> Option<DimensionSize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let n: u64 = digits.parse().ok()?;
    Some(if n == DYNAMIC { DimensionSize::Given } else { DimensionSize::Fixed(n) })
}

/// Splits a template instance into its name, without version namespaces, and its arguments.
fn instance(name: &str) -> Option<(String, Vec<String>)> {
    let (template, rest) = name.trim().split_once('<')?;
    let list = rest.trim_end().strip_suffix('>')?;
    let (mut depth, mut arguments, mut one) = (0_i32, vec![], String::new());
    for c in list.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            arguments.push(std::mem::take(&mut one).trim().to_owned());
        } else {
            one.push(c);
        }
    }
    arguments.push(one.trim().to_owned());
    Some((without_versions(template), arguments))
}

/// Strips version namespaces: `cuda::std::span` from `cuda::std::__4::span`, `thrust::device_vector` from
/// `thrust::THRUST_300001_SM_800_NS::device_vector`.
fn without_versions(name: &str) -> String {
    let is_version = |part: &&str| {
        part.strip_prefix("__").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
            || part.starts_with("THRUST_") && part.bytes().any(|b| b.is_ascii_digit())
    };
    name.trim().split("::").filter(|part| !is_version(part)).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::{DimensionSize, ElementLayout, container, is_text, view};

    #[test]
    fn strings_of_char_are_texts_and_nothing_else_is() {
        let library = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
        for text in ["std::string", "const std::string &", "std::basic_string<char>", library] {
            assert!(is_text(text), "{text}");
        }
        let of_char16 = "std::__cxx11::basic_string<char16_t, std::char_traits<char16_t>, std::allocator<char16_t> >";
        let pointer = format!("{library} *");
        for other in [
            of_char16,
            &pointer,
            "std::string *",
            "std::vector<std::string>",
            "my::string",
            "std::optional<std::string>",
        ] {
            assert!(!is_text(other), "{other}");
        }
    }

    #[test]
    fn views_say_how_many_elements_they_have() {
        let sides = |name: &str| view(name).map(|v| (v.element, v.sides, v.layout));
        let given = |element: &str| Some((element.to_owned(), vec![DimensionSize::Given], ElementLayout::Dense));
        assert_eq!(sides("std::span<const float, 18446744073709551615UL>"), given("float"));
        assert_eq!(sides("cuda::std::__4::span<int, 18446744073709551615UL>"), given("int"));
        assert_eq!(
            sides("cuda::std::span<a::b<int, 4>, 4UL>"),
            Some(("a::b<int, 4>".to_owned(), vec![DimensionSize::Fixed(4)], ElementLayout::Dense))
        );
        let of = |layout: &str, accessor: &str| {
            format!(
                "cuda::std::__4::mdspan<float, cuda::std::__4::extents<int, 18446744073709551615UL, 3UL>, cuda::std::__4::{layout}, {accessor}<float> >"
            )
        };
        let plain = "cuda::std::__4::default_accessor";
        assert_eq!(
            view(&of("layout_right", plain)).map(|v| (v.sides, v.index)),
            Some((vec![DimensionSize::Given, DimensionSize::Fixed(3)], Some("int".to_owned())))
        );
        assert_eq!(view(&of("layout_stride", plain)).map(|v| v.layout), Some(ElementLayout::Strided));
        assert_eq!(view(&of("layout_right", "mine::accessor")), None);
        assert_eq!(view(&of("layout_blocked", plain)), None);
        assert_eq!(container("std::vector<float, std::allocator<float> >").as_deref(), Some("float"));
        assert_eq!(
            container("std::vector<a::b<int, 4>, std::allocator<a::b<int, 4> > >").as_deref(),
            Some("a::b<int, 4>")
        );
        assert_eq!(container("std::vector<bool, std::allocator<bool> >"), None);
        assert_eq!(container("mine::vector<int>"), None);
        for none in ["mine::span<float, 4UL>", "std::span", "float", "std::vector<float, std::allocator<float> >"] {
            assert_eq!(view(none), None, "{none}");
        }
    }
}
